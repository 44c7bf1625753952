import Dispatch
import DocumentFiles
import FileCoordination
import Foundation
import SystemPackage
import Testing

/// Whom a document's accesses wait for is said to who asked to hear of it: P10.
@Suite struct WaitingForOthersTests {
  /// Has a file open, and never gives way.
  private final class Mute: FilePresenter {
    let presentedItemPath: FilePath?
    let presentedItemQueue = DispatchQueue(label: "mute")

    init(_ path: FilePath) { presentedItemPath = path }

    func relinquishPresentedItem(
      to accessor: FileAccessor, _ done: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {}
  }

  private let desk: Desk
  private let heard = Heard()
  private let path: FilePath

  init() throws {
    desk = try Desk()
    path = desk.path("a.txt")
    try desk.write("a.txt", "old")
  }

  private func folder() throws -> DocumentFolder {
    try desk.folder(
      waiting: AccessWaiting(
        patience: .milliseconds(50),
        onWait: { [heard] holders in
          for holder in holders { heard.note("waits: \(holder.role) \(holder.path)") }
        },
        onLapse: { [heard] lapse in heard.note("lapsed: \(lapse.process.id) \(lapse.path)") }))
  }

  @Test func p10_openingSavingAndResolvingNameAPresenterThatDoesNotAnswer() async throws {
    let folder = try folder()
    let expected = "lapsed: \(getpid()) \(path)"
    // Each finds one that was never asked: who has lapsed once is not waited for again.
    func besideAMute(_ body: () async throws -> Void) async throws {
      let (other, mute) = (try desk.domain(), Mute(path))
      try other.addFilePresenter(mute)
      let count = heard.lines.count
      try await body()
      let isNamed = await eventually { [heard] in
        heard.lines.dropFirst(count).contains(expected)
      }
      #expect(isNamed, "\(heard.lines)")
      other.removeFilePresenter(mute)
    }
    try await besideAMute {
      try await DocumentFile<String>.open("a.txt", in: folder).close()
    }
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try await besideAMute {
      try await document.edit { $0 = "new" }
      try await document.save()
    }
    #expect(try desk.read("a.txt") == "new")
    try desk.write(Desk.copy("a"), "theirs")
    try await besideAMute {
      let version = try #require(try folder.unresolvedConflictVersions(of: "a.txt")?.first)
      try await folder.markResolved([version])
    }
    #expect(try desk.names == ["a.txt"])
    try await document.close()
  }

  @Test func p10_savingSaysForWhomItWaits() async throws {
    let (folder, path) = (try folder(), path)
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    let other = try FileCoordinator(try desk.domain())
    let (hold, reading) = (DispatchSemaphore(value: 0), Heard())
    let reader = Task {
      try await other.coordinate([.reading(path)]) { _ in
        reading.note("reads")
        hold.wait()
      }
    }
    #expect(await eventually { !reading.lines.isEmpty })
    try await document.edit { $0 = "new" }
    let saving = Task { try await document.save() }
    #expect(await eventually { heard.lines.contains("waits: reads \(path)") })
    hold.signal()
    try await reader.value
    try await saving.value
    try await document.close()
  }
}
