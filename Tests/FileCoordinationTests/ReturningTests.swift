import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// A process that cannot find the next arbiter at once, since it is given no thread for it.
@Suite struct ReturningTests {
  let workshop: Workshop
  let threads = ThreadSupply()
  /// The arbiter, and a part that depends on it.
  let (here, there): (CoordinationDomain, CoordinationDomain)
  let file: FilePath

  init() throws {
    workshop = try Workshop()
    (here, there) = (try workshop.domain(), try workshop.domain(threads: threads))
    file = try workshop.file("f", "")
  }

  /// Ends the arbiter, and has another one take over when the other part has failed to.
  private func takeOver() throws -> CoordinationDomain {
    threads.exhaust()
    here.close()
    try waitUntil { threads.refusals > 0 }
    return try workshop.domain()
  }

  @Test func whatItHeldIsFreeWhenItHasEndedThatAndReturns() throws {
    let next = try FileCoordinator(there).write(file) { [file] _ in
      let next = try takeOver()
      let error = #expect(throws: CoordinationError.self) {
        try FileCoordinator(next).write(file, timeout: .milliseconds(10)) { _ in
          Issue.record("two write at once")
        }
      }
      guard case .timedOut(_, let holders) = error, holders.map(\.role) == [.mayHold] else {
        Issue.record("another error: \(String(describing: error))")
        return next
      }
      return next
    }
    threads.replenish()
    try FileCoordinator(next).write(file, timeout: .seconds(30)) { _ in }
  }

  @Test func whatItHasEndedIsNotWrittenDownAnyMoreWhileItLooksForTheNext() throws {
    let place = workshop.coordination
    let lock = try FileCoordinator(there).write(file) { _ in
      threads.exhaust()
      here.close()
      try waitUntil { threads.refusals > 0 }
      // Nobody becomes the next one yet.
      return try LinuxFileSystem().lock(
        place.appending("arbiter.lock"), exclusive: true, wait: true, holder: [])
    }
    let members = place.appending("members").string
    let written = try FileManager.default.contentsOfDirectory(atPath: members)
    #expect(written.count == 1)
    for name in written {
      // The first eight bytes say how many there are that count.
      let bytes = try Data(contentsOf: URL(filePath: "\(members)/\(name)"))
      #expect(bytes.count >= 8 && bytes.prefix(8).allSatisfy { $0 == 0 })
    }
    lock.release()
    threads.replenish()
  }

  @Test func c14_whatItHoldsByNewNamesIsHeldByThoseAfterATakeover() throws {
    let names = ["f", "given", "moved"].map { workshop.files.appending($0) }
    let mover = try FileCoordinator(here)
    let worker = try mover.write(names[0], .forMoving) { path in
      let worker = Worker {
        let own = try FileCoordinator(there)
        try own.write(names[0], .forMoving) { path in
          #expect(path == names[1])
          try own.item(at: path, didMoveTo: names[2])
          let next = try takeOver()
          for name in names[1...] {
            #expect(throws: CoordinationError.self) {
              try FileCoordinator(next).write(name, timeout: .milliseconds(10)) { _ in
                Issue.record("two write at once")
              }
            }
          }
        }
      }
      try here.waitForWaiters(1)
      try mover.item(at: path, didMoveTo: names[1])
      return worker
    }
    try worker.join()
    threads.replenish()
  }

  @Test func itsPresentersAreKnownAgainWhenItReturns() throws {
    let presenter = FakePresenter(file)
    try there.addFilePresenter(presenter)
    let next = try takeOver()
    threads.replenish()
    try waitUntil { presenter.journal.all.contains("changed") }
    try FileCoordinator(next).write(file, timeout: .seconds(30)) { _ in }
    #expect(presenter.journal.wait(for: "relinquish writer"))
  }

  @Test func c24_itsPresentersAreAskedByThoseWhoComeBeforeItReturns() throws {
    let presenter = FakePresenter(file)
    try there.addFilePresenter(presenter)
    let next = try takeOver()
    let error = #expect(throws: CoordinationError.self) {
      try FileCoordinator(next).write(file, timeout: .milliseconds(300)) { _ in
        Issue.record("its presenter was not asked")
      }
    }
    guard case .timedOut(_, let holders) = error, holders.map(\.role) == [.presents] else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    threads.replenish()
    try FileCoordinator(next).write(file, timeout: .seconds(30)) { _ in }
    #expect(presenter.journal.all.contains("relinquish writer"))
  }

  @Test func p10_andDelayNobodyElseUntilThen() throws {
    let presenter = FakePresenter(file)
    try there.addFilePresenter(presenter)
    let next = try takeOver()
    let other = try workshop.file("g", "")
    try FileCoordinator(next, patience: .seconds(3_600)).write(other, timeout: .seconds(30)) { _ in
    }
    threads.replenish()
  }

  /// The paths of the presenters that the next arbiter knows without having heard of them.
  private func pathsAfterTakeover() throws -> Set<String?> {
    defer { threads.replenish() }
    return Set(try takeOver().report().presenters.map(\.path))
  }

  @Test func theNextKnowsWhatIsPresentedOfManyThatHaveComeAndGone() throws {
    let presenters = try (0..<500).map { number in
      let presenter = FakePresenter(try workshop.file("\(number)"))
      try there.addFilePresenter(presenter)
      if number % 5 != 0 { there.removeFilePresenter(presenter) }
      return presenter
    }
    let kept = presenters.enumerated().filter { $0.offset % 5 == 0 }
    #expect(try pathsAfterTakeover() == Set(kept.map { $0.element.presentedItemPath?.string }))
  }

  @Test func itKnowsWhereAMovedItemIs() throws {
    let names = ["f", "by another", "by itself"].map { workshop.files.appending($0) }
    let presenter = FakePresenter(file)
    try there.addFilePresenter(presenter)
    for (name, mover) in [
      (names[1], try FileCoordinator(here)),
      (names[2], try FileCoordinator(there, filePresenter: presenter)),
    ] {
      let old = presenter.presentedItemPath ?? file
      try mover.write(old, .forMoving) { path in
        try FileManager.default.moveItem(atPath: path.string, toPath: name.string)
        try mover.item(at: path, didMoveTo: name)
      }
      if name == names[1] { #expect(presenter.journal.wait(for: "moved")) }
    }
    #expect(try pathsAfterTakeover() == [names[2].string])
  }

  @Test func itKnowsWhereItemsAreThatThePresenterHasNamedAnew() throws {
    let presenter = FakePresenter(nil)
    try there.addFilePresenter(presenter)
    presenter.setPath(file)
    try FileCoordinator(there, filePresenter: presenter).write(file) { _ in }
    #expect(try pathsAfterTakeover() == [file.string])
  }

  @Test func whatItWaitedForFailsAndIsInNobodysWay() throws {
    try FileCoordinator(here).write(file) { [here, there, file] _ in
      let worker = Worker {
        try FileCoordinator(there).write(file) { _ in _ = Issue.record("the accessor was run") }
      }
      try here.waitForWaiters(1)
      let next = try takeOver()
      #expect(throws: CoordinationError.self) { try worker.join() }
      // It has not returned: it has nothing to return for.
      try FileCoordinator(next).write(file, timeout: .seconds(30)) { _ in }
    }
    threads.replenish()
    try FileCoordinator(there).write(file, timeout: .seconds(30)) { _ in }
  }
}
