import Dispatch
import FileCoordination
import Foundation
import Synchronization
import SystemPackage
import Testing

/// Presenters with queues and sockets: P1 to P6, P8, P9, P11, and C18, C26 to C29, C31, C33.
@Suite struct LivePresenterTests {
  let workshop: Workshop
  let (here, there): (CoordinationDomain, CoordinationDomain)

  init() throws {
    workshop = try Workshop()
    (here, there) = (try workshop.domain(), try workshop.domain())
  }

  @Test func p1_p3_p4_messagesArriveOnThePresentersQueueInTheirOrder() throws {
    let file = try workshop.file("f", "")
    for (mine, other) in [(here, there), (there, here)] {
      let presenter = FakePresenter(file)
      try mine.addFilePresenter(presenter)
      try FileCoordinator(other).write(file, .forReplacing) { _ in presenter.journal.note("write") }
      #expect(presenter.journal.wait(for: "reacquire"))
      // P4: gives way, lets go, hears what happened, goes on.
      #expect(
        presenter.journal.all == [
          "relinquish writer", "relinquished", "accommodate", "write", "changed", "reacquire",
        ])
      try FileCoordinator(other).read(file) { _ in presenter.journal.note("read") }
      #expect(presenter.journal.wait(for: "reacquire", count: 2))
      #expect(
        presenter.journal.all.suffix(5) == [
          "relinquish reader", "relinquished", "save", "read", "reacquire",
        ])
      mine.removeFilePresenter(presenter)
    }
  }

  @Test func p1_c33_whoeverRegistersInsideOfAReadingAccessMissesNothing() throws {
    let file = try workshop.file("f", "")
    let presenter = FakePresenter(file)
    // C33: registered inside of the access that reads, it misses nothing.
    let worker = try FileCoordinator(there).read(file) { _ in
      let here = here
      let worker = Worker { try FileCoordinator(here).write(file) { _ in } }
      try here.waitForWaiters(1)
      try there.addFilePresenter(presenter)
      return worker
    }
    try worker.join()
    #expect(presenter.journal.wait(for: "changed"))
  }

  @Test func p2_whatIsNotMadeYetIsAskedAgainWhenThePresentersOwnWriteEnds() throws {
    let file = try workshop.file("f")
    let presenter = FakePresenter(nil)
    try there.addFilePresenter(presenter)
    try FileCoordinator(here).write(file) { _ in }
    #expect(presenter.journal.all.isEmpty)
    try FileCoordinator(there, filePresenter: presenter).write(file) { path in
      try Workshop.write("made", to: path)
      presenter.setPath(path)
    }
    try FileCoordinator(here).write(file) { _ in }
    #expect(presenter.journal.wait(for: "relinquish writer"))
  }

  @Test func p5_aPresenterThatSaysNothingNeverHasAnythingToSave() throws {
    final class Silent: FilePresenter {
      let presentedItemPath: FilePath?
      let presentedItemQueue = DispatchQueue(label: "silent")
      init(_ path: FilePath) { presentedItemPath = path }
    }
    let file = try workshop.file("f")
    let presenter = Silent(file)
    try there.addFilePresenter(presenter)
    try FileCoordinator(here).read(file, timeout: .seconds(4)) { _ in }
    try FileCoordinator(here).write(file, .forDeleting, timeout: .seconds(4)) { _ in }
  }

  @Test func p6_aStampTellsAChangeOfContentsFromOneOfAttributes() throws {
    let file = try workshop.file("f", "text")
    let presenter = FakePresenter(file)
    try there.addFilePresenter(presenter)
    let coordinator = try FileCoordinator(here)
    let stamp = try coordinator.read(file) { FileStamp($0) }
    try coordinator.write(file, .contentIndependentMetadataOnly) { path in
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path.string)
    }
    #expect(presenter.journal.wait(for: "changed"))
    #expect(try coordinator.read(file) { FileStamp($0) } == stamp)
    try coordinator.write(file) { try Workshop.write("other text", to: $0) }
    #expect(try coordinator.read(file) { FileStamp($0) } != stamp)
  }

  @Test func p8_whatHappensInAPackageHasChangedThePackageAndInAFolderNothing() throws {
    for (name, isPackage) in [("note.bundle", true), ("folder", false)] {
      let folder = try workshop.file(name)
      try Workshop.makeFolder(folder)
      let presenter = FakePresenter(folder)
      try there.addFilePresenter(presenter)
      try FileCoordinator(here).write(folder.appending("page")) { try Workshop.write("1", to: $0) }
      try here.reportUncoordinatedChange(at: folder)
      #expect(presenter.journal.wait(for: "changed", count: isPackage ? 2 : 1))
      #expect(presenter.journal.all.count { $0 == "changed" } == (isPackage ? 2 : 1))
      there.removeFilePresenter(presenter)
    }
  }

  @Test func p9_aBlockingAccessOnAPresentersQueueIsRefused() throws {
    let file = try workshop.file("f")
    let presenter = FakePresenter(file)
    try there.addFilePresenter(presenter)
    let error = #expect(throws: CoordinationError.self) {
      try presenter.presentedItemQueue.sync {
        try FileCoordinator(there).read(file) { _ in _ = Issue.record("the accessor was run") }
      }
    }
    #expect(error == .onPresentersQueue(path: file.string))
    try presenter.presentedItemQueue.sync {
      try FileCoordinator(there, filePresenter: presenter).read(file) { _ in }
    }
  }

  @Test func p9_soIsABatch() throws {
    let file = try workshop.file("f")
    let presenter = FakePresenter(file)
    try there.addFilePresenter(presenter)
    let error = #expect(throws: CoordinationError.self) {
      try presenter.presentedItemQueue.sync {
        try FileCoordinator(there).prepare(reading: [file]) { $0.complete() }
      }
    }
    #expect(error == .onPresentersQueue(path: file.string))
    try presenter.presentedItemQueue.sync {
      try FileCoordinator(there, filePresenter: presenter).prepare(reading: [file]) {
        $0.complete()
      }
    }
  }

  @Test func p11_aPresenterIsNotKeptAliveAndOneThatIsGoneIsNotWaitedFor() throws {
    let file = try workshop.file("f")
    weak var gone: FakePresenter?
    do {
      let presenter = FakePresenter(file, Journal(), .init(delay: 10))
      gone = presenter
      try there.addFilePresenter(presenter)
      #expect(there.filePresenters.count == 1)
    }
    #expect(gone == nil && there.filePresenters.isEmpty)
    try FileCoordinator(here).write(file, timeout: .seconds(4)) { _ in }
  }

  @Test func p11_aPresenterThatWasRemovedHearsNothingMore() throws {
    let file = try workshop.file("f", "")
    let presenter = FakePresenter(file)
    try there.addFilePresenter(presenter)
    there.removeFilePresenter(presenter)
    there.removeFilePresenter(presenter)
    _ = try there.report()
    try FileCoordinator(here).write(file) { _ in }
    #expect(presenter.journal.all.isEmpty && there.filePresenters.isEmpty)
  }

  @Test func p11_aPresenterThatIsAddedTwiceIsAskedOnceUntilItIsTakenAwayTwice() throws {
    let file = try workshop.file("f", "")
    let presenter = FakePresenter(file)
    for _ in 0..<2 { try there.addFilePresenter(presenter) }
    #expect(there.filePresenters.count == 1)
    // C24: for what it does itself it is not asked.
    try FileCoordinator(there, filePresenter: presenter).write(file) { _ in }
    #expect(presenter.journal.all.isEmpty)
    try FileCoordinator(here).write(file) { _ in }
    #expect(presenter.journal.wait(for: "reacquire"))
    #expect(presenter.journal.all.count { $0 == "relinquish writer" } == 1)
    there.removeFilePresenter(presenter)
    _ = try there.report()
    try FileCoordinator(here).write(file) { _ in }
    #expect(presenter.journal.all.count { $0 == "relinquish writer" } == 2)
    there.removeFilePresenter(presenter)
    #expect(there.filePresenters.isEmpty)
    _ = try there.report()
    try FileCoordinator(here).write(file) { _ in }
    #expect(presenter.journal.all.count { $0 == "relinquish writer" } == 2)
  }

  @Test func c18_aBatchAsksPresentersOnceForAllThatFollows() throws {
    let folder = try workshop.file("folder")
    try Workshop.makeFolder(folder)
    let files = try (0..<5).map { try workshop.file("folder/\($0)", "\($0)") }
    let presenter = FakePresenter(files[3])
    try here.addFilePresenter(presenter)
    let coordinator = try FileCoordinator(there)
    try coordinator.prepare(reading: [folder]) { batch in
      #expect(presenter.journal.all == ["relinquish reader", "relinquished", "save"])
      for file in files { try coordinator.read(file) { #expect($0 == file) } }
      #expect(presenter.journal.all.count == 3)
      batch.complete()
      batch.complete()
    }
    #expect(presenter.journal.wait(for: "reacquire"))
    try coordinator.read(files[3]) { _ in }
    #expect(presenter.journal.all.count { $0 == "relinquish reader" } == 2)
  }

  @Test func c18_aBatchThatNobodyHasAnyMoreIsComplete() throws {
    let file = try workshop.file("f")
    let presenter = FakePresenter(file)
    try here.addFilePresenter(presenter)
    try FileCoordinator(there).prepare(writing: [file]) { _ in }
    #expect(presenter.journal.wait(for: "reacquire"))
  }

  @Test func c26_whatAPresenterCannotSaveFailsTheAccess() throws {
    struct DiskIsFull: Error {}
    let file = try workshop.file("f")
    let presenter = FakePresenter(file, Journal(), .init(saving: { DiskIsFull() }))
    try here.addFilePresenter(presenter)
    let error = #expect(throws: CoordinationError.self) {
      try FileCoordinator(there).read(file) { _ in _ = Issue.record("the accessor was run") }
    }
    guard case .presenterFailed(file.string, let process, let message) = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(process.id == getpid() && message.contains("DiskIsFull"))
    try FileCoordinator(there).read(file, .withoutChanges) { _ in }
  }

  @Test func c27_aLateAnswerFromAnotherThreadComesBeforeTheAccessor() throws {
    let file = try workshop.file("f")
    for (mine, other) in [(here, there), (there, here)] {
      let presenter = FakePresenter(file, Journal(), .init(delay: 0.05))
      try mine.addFilePresenter(presenter)
      try FileCoordinator(other).write(file) { _ in presenter.journal.note("write") }
      #expect(presenter.journal.all.prefix(3) == ["relinquish writer", "relinquished", "write"])
      mine.removeFilePresenter(presenter)
    }
  }

  @Test func c28_aPresenterThatWritesWhenAskedToSaveDoesNotWaitForTheReader() throws {
    let file = try workshop.file("f", "old")
    for (mine, other) in [(here, there), (there, here)] {
      let own = Mutex<FakePresenter?>(nil)
      let presenter = FakePresenter(
        file, Journal(),
        .init(saving: {
          do {
            let presenter = own.withLock { $0 }
            try FileCoordinator(mine, filePresenter: presenter).write(file, timeout: .seconds(4)) {
              try Workshop.write("saved", to: $0)
            }
            return nil
          } catch {
            return error
          }
        }))
      own.withLock { $0 = presenter }
      try mine.addFilePresenter(presenter)
      try Workshop.write("old", to: file)
      #expect(try FileCoordinator(other).read(file, timeout: .seconds(5), Workshop.read) == "saved")
      mine.removeFilePresenter(presenter)
      own.withLock { $0 = nil }
    }
  }

  @Test func c29_versionsAreToldToTheOwnPresenterToo() throws {
    let file = try workshop.file("f", "")
    let presenter = FakePresenter(file)
    try there.addFilePresenter(presenter)
    try there.report(.gained, version: "v1", at: file)
    #expect(presenter.journal.wait(for: "gained v1"))
  }

  @Test func c31_aReadIsNotToldAsAChange() throws {
    let file = try workshop.file("f", "")
    let presenter = FakePresenter(file)
    try there.addFilePresenter(presenter)
    try FileCoordinator(here).read(file) { _ in }
    #expect(presenter.journal.wait(for: "reacquire"))
    try FileCoordinator(here).write(file) { _ in }
    #expect(presenter.journal.wait(for: "reacquire", count: 2))
    #expect(presenter.journal.all.count { $0 == "changed" } == 1)
  }
}
