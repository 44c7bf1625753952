import Dispatch
import FileCoordination
import SystemFiles
import SystemPackage
import Testing

/// What presenters of folders hear of items in them, by which message and on which queue: P7, C25,
/// C29, C30.
@Suite struct SubitemTests {
  let workshop: Workshop
  let (here, there): (CoordinationDomain, CoordinationDomain)

  init() throws {
    workshop = try Workshop()
    (here, there) = (try workshop.domain(), try workshop.domain())
  }

  @Test func p7_c25_c29_c30_eachMessageNamesTheItem() throws {
    let package = try workshop.file("note.bundle")
    let inner = package.appending("inner")
    for folder in [package, inner] { try Workshop.makeFolder(folder) }
    let (page, other) = (inner.appending("page"), inner.appending("other"))
    for (mine, asker) in [(here, there), (there, here)] {
      let presenter = FolderPresenter(package)
      let journal = presenter.journal
      try mine.addFilePresenter(presenter)
      let coordinator = try FileCoordinator(asker)
      for _ in 0..<2 { try coordinator.write(page) { try Workshop.write("1", to: $0) } }
      #expect(journal.wait(for: "appeared \(page)"))
      #expect(journal.wait(for: "changed \(page)"))
      try asker.report(.gained, version: "v1", at: page)
      #expect(journal.wait(for: "gained v1 \(page)"))
      try coordinator.write(page, .forMoving) { path in
        try LinuxFileSystem().rename(path, to: other)
        try coordinator.item(at: page, didMoveTo: other)
      }
      #expect(journal.wait(for: "moved \(page) \(other)"))
      try coordinator.write(other, .forDeleting) { path in
        // Asked, and waited for, before anything is deleted.
        #expect(journal.all.contains("lets go of \(other)"))
        try LinuxFileSystem().remove(path)
      }
      #expect(journal.wait(for: "changed \(other)"))
      #expect(!journal.all.contains { $0.hasPrefix("elsewhere") })
      mine.removeFilePresenter(presenter)
    }
  }
}

/// A presenter of a folder that notes what it hears of items in it.
private final class FolderPresenter: FilePresenter {
  let presentedItemPath: FilePath?
  let presentedItemQueue = DispatchQueue(label: "folder")
  let journal = Journal()
  private static let isOwnQueue = DispatchSpecificKey<Bool>()

  init(_ path: FilePath) {
    presentedItemPath = path
    presentedItemQueue.setSpecific(key: Self.isOwnQueue, value: true)
  }

  private func note(_ line: String) {
    let isOnQueue = DispatchQueue.getSpecific(key: Self.isOwnQueue) == true
    journal.note(isOnQueue ? line : "elsewhere: \(line)")
  }

  func accommodatePresentedSubitemDeletion(
    at path: FilePath, _ done: @escaping @Sendable ((any Error)?) -> Void
  ) {
    note("lets go of \(path)")
    done(nil)
  }

  func presentedSubitemDidAppear(at path: FilePath) { note("appeared \(path)") }
  func presentedSubitemDidChange(at path: FilePath) { note("changed \(path)") }
  func presentedSubitem(at path: FilePath, didMoveTo new: FilePath) {
    note("moved \(path) \(new)")
  }
  func presentedSubitem(at path: FilePath, _ event: FileVersionEvent, version: String) {
    note("\(event) \(version) \(path)")
  }
}
