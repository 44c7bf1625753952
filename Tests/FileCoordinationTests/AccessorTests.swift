import Dispatch
import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// How an accessor is run: C4, C12, C13, C14, C16, C17, C19, C20, with real threads and sockets.
@Suite struct AccessorTests {
  let workshop: Workshop
  let (here, there): (CoordinationDomain, CoordinationDomain)

  init() throws {
    workshop = try Workshop()
    (here, there) = (try workshop.domain(), try workshop.domain())
  }

  @Test func c4_accessesOfOneCoordinatorDoNotBlockEachOther() throws {
    let file = try workshop.file("f", "1")
    for domain in [here, there] {
      let coordinator = try FileCoordinator(domain)
      let text = try coordinator.write(file, timeout: .seconds(5)) { path in
        try coordinator.coordinate([.writing(path), .reading(path)], timeout: .seconds(5)) {
          try Workshop.read($0[1])
        }
      }
      #expect(text == "1")
    }
  }

  @Test func c12_theBlockingFormRunsTheAccessorOnTheCallersThread() throws {
    let file = try workshop.file("f")
    for domain in [here, there] {
      let caller = pthread_self()
      let accessor = try FileCoordinator(domain).write(file) { _ in pthread_self() }
      #expect(pthread_equal(caller, accessor) != 0)
    }
  }

  @Test func c12_theAsynchronousFormRunsTheAccessorOnItsQueueAndDoesNotBlock() async throws {
    let file = try workshop.file("f")
    let key = DispatchSpecificKey<Int>()
    let queue = DispatchQueue(label: "accessor")
    queue.setSpecific(key: key, value: 7)
    for domain in [here, there] {
      let found = try await FileCoordinator(domain).coordinate([.writing(file)], on: queue) { _ in
        DispatchQueue.getSpecific(key: key)
      }
      #expect(found == 7)
    }
    // More of them wait than there are threads: none holds one.
    let held = DispatchSemaphore(value: 0)
    let (domain, journal) = (here, Journal())
    let holder = Worker {
      try FileCoordinator(domain).write(file) { _ in
        journal.note("held")
        held.wait()
      }
    }
    #expect(journal.wait(for: "held"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask { try await FileCoordinator(domain).coordinate([.writing(file)]) { _ in } }
      }
      try await here.waitForWaiters(100)
      held.signal()
      try await group.waitForAll()
    }
    try holder.join()
  }

  @Test func c13_anAccessEndsWhenItsAccessorReturns() throws {
    let file = try workshop.file("f", "")
    let coordinator = try FileCoordinator(there)
    let isRead = DispatchSemaphore(value: 0)
    let late = try coordinator.write(file) { path in
      Worker {
        isRead.wait()
        try Workshop.write("late", to: path)
      }
    }
    // Nobody waits for what the accessor left to another thread.
    #expect(try FileCoordinator(here).read(file, timeout: .seconds(5), Workshop.read) == "")
    isRead.signal()
    try late.join()
  }

  @Test func c14_theAccessorGetsThePathThatTheItemHasByThen() throws {
    let (old, new) = (try workshop.file("old", "text"), try workshop.file("new"))
    let mover = try FileCoordinator(here)
    let (there, journal) = (there, Journal())
    let worker = try mover.write(old, .forMoving) { path in
      let worker = Worker {
        let text = try FileCoordinator(there).read(old) { path in
          "\(path.lastComponent?.string ?? ""): \(try Workshop.read(path))"
        }
        journal.note(text)
      }
      try here.waitForWaiters(1)
      try FileManager.default.moveItem(atPath: path.string, toPath: new.string)
      try mover.item(at: old, didMoveTo: new)
      return worker
    }
    try worker.join()
    #expect(journal.all == ["new: text"])
  }

  @Test func c30_anItemThatWasRenamedMeanwhileMayBeMovedOnAndOn() throws {
    let names = ["a", "b", "c", "d"].map { workshop.files.appending($0) }
    try Workshop.write("text", to: names[0])
    let presenter = FakePresenter(names[0])
    try here.addFilePresenter(presenter)
    @Sendable func move(_ number: Int, by mover: FileCoordinator) throws {
      try LinuxFileSystem().rename(names[number], to: names[number + 1])
      try mover.item(at: names[number], didMoveTo: names[number + 1])
    }
    let first = try FileCoordinator(here)
    let there = there
    let worker = try first.write(names[0], .forMoving) { _ in
      let worker = Worker {
        let second = try FileCoordinator(there)
        try second.write(names[0], .forMoving) { path in
          #expect(path == names[1])
          try move(1, by: second)
          try move(2, by: second)
        }
      }
      try here.waitForWaiters(1)
      try move(0, by: first)
      return worker
    }
    try worker.join()
    #expect(presenter.journal.wait(for: "moved", count: 3))
    #expect(presenter.presentedItemPath == names[3])
    here.removeFilePresenter(presenter)
  }

  @Test func c15_aReplacingWriterIsNotGivenTheNewPath() throws {
    let (old, new) = (try workshop.file("old", "text"), try workshop.file("new"))
    let mover = try FileCoordinator(here)
    let (there, journal) = (there, Journal())
    let worker = try mover.write(old, .forMoving) { path in
      let worker = Worker {
        try FileCoordinator(there).write(old, .forReplacing) {
          journal.note($0.lastComponent?.string ?? "")
        }
      }
      try here.waitForWaiters(1)
      try FileManager.default.moveItem(atPath: path.string, toPath: new.string)
      try mover.item(at: old, didMoveTo: new)
      return worker
    }
    try worker.join()
    #expect(journal.all == ["old"])
  }

  @Test func c16_ifWaitingFailsTheAccessorIsNotRunAndTheErrorIsThrown() throws {
    let file = try workshop.file("f")
    try FileCoordinator(here).write(file) { _ in
      let error = #expect(throws: CoordinationError.self) {
        try FileCoordinator(there).read(file, timeout: .milliseconds(50)) { _ in
          Issue.record("the accessor was run")
        }
      }
      guard case .timedOut(file.string, let holders) = error else {
        Issue.record("another error: \(String(describing: error))")
        return
      }
      #expect(holders.map(\.role) == [.writes] && holders.map(\.process.id) == [getpid()])
    }
  }

  @Test func c16_whatAnotherThreadClaimsForAnAccessorSaysWhoIsInItsWay() throws {
    let file = try workshop.file("f")
    for domain in [here, there] {
      try FileCoordinator(domain).write(file) { _ in
        let worker = Worker {
          let error = #expect(throws: CoordinationError.self) {
            try FileCoordinator(domain).read(file, timeout: .milliseconds(50)) { _ in }
          }
          #expect(error?.isInOwnWay == true)
        }
        try worker.join()
      }
    }
  }

  @Test func c16_theAsynchronousFormGivesUpWhenItsTimeIsUp() async throws {
    let file = try workshop.file("f")
    let (here, there, journal) = (here, there, Journal())
    let held = DispatchSemaphore(value: 0)
    let holder = Worker {
      try FileCoordinator(here).write(file) { _ in
        journal.note("held")
        held.wait()
      }
    }
    #expect(journal.wait(for: "held"))
    let error = await #expect(throws: CoordinationError.self) {
      try await FileCoordinator(there).coordinate(
        [.reading(file)], timeout: .milliseconds(50)
      ) { _ in
        Issue.record("the accessor was run")
      }
    }
    held.signal()
    try holder.join()
    guard case .timedOut(file.string, let holders) = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(holders.map(\.role) == [.writes])
  }

  @Test(arguments: [false, true])
  func c16_soItDoesWhereItsQueueIsBusy(isHeld: Bool) async throws {
    let file = try workshop.file("f")
    let (here, there, journal) = (here, there, Journal())
    let held = DispatchSemaphore(value: isHeld ? 0 : 1)
    let holder = Worker {
      try FileCoordinator(here).write(file) { _ in
        journal.note("held")
        held.wait()
      }
    }
    #expect(journal.wait(for: "held"))
    if !isHeld { try holder.join() }
    let queue = DispatchQueue(label: "busy")
    queue.suspend()
    await #expect(throws: CoordinationError.self) {
      try await FileCoordinator(there).coordinate(
        [.writing(file)], on: queue, timeout: .milliseconds(50)
      ) { _ in
        Issue.record("the accessor was run")
      }
    }
    held.signal()
    if isHeld { try holder.join() }
    // Nor does it keep others from the file.
    try FileCoordinator(here).write(file, timeout: .seconds(30)) { _ in }
    queue.resume()
    queue.sync {}
  }

  @Test func c17_twoFilesInOppositeOrderNeverDeadlock() throws {
    let (x, y) = (try workshop.file("x"), try workshop.file("y"))
    let workers = [(here, [x, y]), (there, [y, x])].map { domain, files in
      Worker {
        let coordinator = try FileCoordinator(domain)
        for _ in 0..<1_000 {
          try coordinator.coordinate(files.map { .writing($0) }) { _ in }
        }
      }
    }
    for worker in workers { try worker.join() }
  }

  @Test func c17_noItemsAtAllAreAUnitThatIsThereAtOnce() async throws {
    for domain in [here, there] {
      let coordinator = try FileCoordinator(domain)
      #expect(Self.none(by: coordinator) == [])
      #expect(try await coordinator.coordinate([]) { $0 } == [])
      try coordinator.prepare { $0.complete() }
    }
  }

  private static func none(by coordinator: FileCoordinator) -> [FilePath]? {
    try? coordinator.coordinate([]) { $0 }
  }

  @Test func c20_metadataIsReadAlthoughTheContentsHaveNotArrived() throws {
    let file = try workshop.file("not-arrived")
    let status = try FileCoordinator(there).read(
      file, .immediatelyAvailableMetadataOnly, timeout: .seconds(5)
    ) { FileStamp($0) }
    #expect(status == nil)
  }

  @Test func c30_aMoveIsAnnouncedInsideOfAnAccessorThatWritesTheItem() throws {
    let file = try workshop.file("f", "")
    let coordinator = try FileCoordinator(there)
    let error = CoordinationError.notWriting(path: file.string)
    #expect(throws: error) { try coordinator.item(at: file, didMoveTo: file) }
    _ = try coordinator.read(file) { _ in
      #expect(throws: error) { try coordinator.item(at: file, didMoveTo: file) }
    }
    try coordinator.write(file) { try coordinator.item(at: $0, didMoveTo: $0) }
  }

  @Test func c30_anAccessAroundTheOneThatMovesHasTheItemByItsNewNameToo() throws {
    for (index, domain) in Array(repeating: [here, there], count: 10).joined().enumerated() {
      let file = try workshop.file("\(index)", "")
      let new = workshop.files.appending("new-\(index)")
      let coordinator = try FileCoordinator(domain)
      try coordinator.write(file) { path in
        try coordinator.write(path, .forMoving) { path in
          try LinuxFileSystem().rename(path, to: new)
          try coordinator.item(at: path, didMoveTo: new)
        }
        // Answered when all of that has been heard.
        _ = try domain.report()
        #expect(throws: CoordinationError.self) {
          try FileCoordinator(here).write(new, timeout: .milliseconds(10)) { _ in
            Issue.record("two write at once")
          }
        }
      }
      try FileCoordinator(here).write(new, timeout: .seconds(30)) { _ in }
    }
  }

  @Test func c30_soItIsBesideASnapshot() throws {
    let (sent, file) = (try workshop.file("sent", "text"), try workshop.file("f", ""))
    let new = workshop.files.appending("new")
    let presenter = FakePresenter(file)
    try here.addFilePresenter(presenter)
    let coordinator = try FileCoordinator(there)
    let intents: [FileAccessIntent] = [.reading(sent, .forUploading), .writing(file, .forMoving)]
    try coordinator.coordinate(intents) { paths in
      try LinuxFileSystem().rename(paths[1], to: new)
      try coordinator.item(at: paths[1], didMoveTo: new)
    }
    #expect(presenter.journal.wait(for: "moved"))
    here.removeFilePresenter(presenter)
  }
}
