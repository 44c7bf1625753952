import FileCoordination
import Foundation
import Glibc
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// C19: `cancel()`.
@Suite struct CancellingTests {
  let workshop: Workshop
  let (here, there): (CoordinationDomain, CoordinationDomain)

  init() throws {
    workshop = try Workshop()
    (here, there) = (try workshop.domain(), try workshop.domain())
  }

  @Test func c19_aWaitingCallIsCancelledWithoutRunningItsAccessor() throws {
    let file = try workshop.file("f")
    for domain in [here, there] {
      let coordinator = try FileCoordinator(domain)
      try FileCoordinator(here).write(file) { _ in
        let worker = Worker {
          try coordinator.write(file) { _ in _ = Issue.record("the accessor was run") }
        }
        try here.waitForWaiters(1)
        coordinator.cancel()
        #expect(throws: CoordinationError.cancelled(path: file.string)) { try worker.join() }
      }
    }
  }

  @Test func c19_aCallIsCancelledHoweverShortlyBeforeItBeganToWait() throws {
    let file = try workshop.file("f")
    for round in 0..<200 {
      for domain in [here, there] {
        let coordinator = try FileCoordinator(domain)
        try FileCoordinator(here).write(file) { _ in
          let worker = Worker {
            try coordinator.write(file) { _ in _ = Issue.record("the accessor was run") }
          }
          for _ in 0..<round * 5 { sched_yield() }
          coordinator.cancel()
          #expect(throws: CoordinationError.cancelled(path: file.string)) { try worker.join() }
        }
      }
    }
  }

  @Test func c19_aCallThatIsCancelledWhileItIsAskedForIsInNobodysWay() throws {
    let file = try workshop.file("f")
    try FileCoordinator(here).read(file) { _ in
      for round in 0..<400 {
        let coordinator = try FileCoordinator(round % 2 == 0 ? here : there)
        let worker = Worker { try coordinator.write(file) { _ in } }
        for _ in 0..<round / 4 { sched_yield() }
        coordinator.cancel()
        #expect(throws: CoordinationError.cancelled(path: file.string)) { try worker.join() }
      }
      // Readers go past nobody who waits.
      for domain in [here, there] {
        try FileCoordinator(domain).read(file, timeout: .seconds(20)) { _ in }
      }
    }
  }

  @Test func c19_aRunningAccessorIsLeftAloneAndLaterCallsNeverRunTheirs() throws {
    let file = try workshop.file("f")
    let coordinator = try FileCoordinator(there)
    let value = try coordinator.write(file) { _ in
      coordinator.cancel()
      return 7
    }
    #expect(value == 7)
    #expect(throws: CoordinationError.cancelled(path: file.string)) {
      try coordinator.read(file) { _ in _ = Issue.record("the accessor was run") }
    }
    try FileCoordinator(here).write(file, timeout: .seconds(5)) { _ in }
  }

  @Test func c19_presentersThatWereAskedAreNotWaitedForAnyMore() throws {
    let file = try workshop.file("f")
    let presenter = FakePresenter(file, Journal(), .init(delay: 0.5))
    try here.addFilePresenter(presenter)
    let coordinator = try FileCoordinator(there)
    let worker = Worker { try coordinator.write(file) { _ in } }
    #expect(presenter.journal.wait(for: "relinquish writer"))
    coordinator.cancel()
    #expect(throws: CoordinationError.cancelled(path: file.string)) { try worker.join() }
    // It was asked all the same, and is told when that is over.
    #expect(presenter.journal.wait(for: "reacquire"))
    #expect(presenter.journal.all == ["relinquish writer", "relinquished", "reacquire"])
  }

  @Test func c19_aTaskThatIsCancelledGivesUpWaiting() async throws {
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
    let task = Task {
      try await FileCoordinator(there).coordinate([.writing(file)]) { _ in
        Issue.record("the accessor was run")
      }
    }
    try await here.waitForWaiters(1)
    task.cancel()
    await #expect(throws: CoordinationError.cancelled(path: file.string)) { try await task.value }
    held.signal()
    try holder.join()
  }

  @Test func c19_theCoordinatorsOneThatWaitsForItsQueueAloneGivesUpAtOnce() async throws {
    let file = try workshop.file("f")
    let (here, there) = (here, there)
    let queue = DispatchQueue(label: "busy")
    queue.suspend()
    let coordinator = try FileCoordinator(here)
    let task = Task {
      try await coordinator.coordinate([.writing(file)], on: queue) { _ in
        Issue.record("the accessor was run")
      }
    }
    try await waitUntil { try !there.report().claims.isEmpty }
    coordinator.cancel()
    await #expect(throws: CoordinationError.cancelled(path: file.string)) { try await task.value }
    // Nor does it keep others from the file.
    try FileCoordinator(there).write(file, timeout: .seconds(30)) { _ in }
    queue.resume()
    queue.sync {}
  }

  @Test func c19_whatIsGrantedToOneThatWasCancelledBeforeItAskedDoesNotWaitForItsQueue()
    async throws
  {
    let file = try workshop.file("f")
    let other = try Workshop()
    _ = try CoordinationPlace(other.coordination)
    // Nobody can become the arbiter yet, so nobody is asked.
    let path = other.coordination.appending("arbiter.lock")
    let lock = try LinuxFileSystem().lock(path, exclusive: true, wait: false, holder: [])
    let search = try OpeningSignal(of: path)
    let domain = try other.domain(isSilent: true)
    let queue = DispatchQueue(label: "busy")
    queue.suspend()
    let coordinator = try FileCoordinator(domain)
    let task = Task {
      try await coordinator.coordinate([.writing(file)], on: queue) { _ in
        Issue.record("the accessor was run")
      }
    }
    #expect(await search.arrives())
    coordinator.cancel()
    lock.release()
    await #expect(throws: CoordinationError.cancelled(path: file.string)) { try await task.value }
    try FileCoordinator(domain).write(file, timeout: .seconds(30)) { _ in }
    queue.resume()
    queue.sync {}
  }

  @Test(arguments: [false, true])
  func c19_soDoesOneThatWaitsForItsQueueAlone(isCancelledBefore: Bool) async throws {
    let file = try workshop.file("f")
    let (here, there) = (here, there)
    let queue = DispatchQueue(label: "busy")
    queue.suspend()
    let task = Task {
      while isCancelledBefore, !Task.isCancelled { await Task.yield() }
      return try await FileCoordinator(here).coordinate([.writing(file)], on: queue) { _ in
        Issue.record("the accessor was run")
      }
    }
    try await waitUntil { try isCancelledBefore || !there.report().claims.isEmpty }
    task.cancel()
    await #expect(throws: CoordinationError.cancelled(path: file.string)) { try await task.value }
    // Nor does it keep others from the file.
    try FileCoordinator(there).write(file, timeout: .seconds(30)) { _ in }
    queue.resume()
    queue.sync {}
  }
}
