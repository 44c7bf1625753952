import Dispatch
import FileCoordination
import Foundation
import Synchronization
import SystemPackage

/// A presenter that notes what it is asked and told, and answers as a test wants it to.
final class FakePresenter: FilePresenter {
  let presentedItemQueue: DispatchQueue
  let journal: Journal
  private let path: Mutex<FilePath?>
  private let behaviour: Behaviour
  private static let queueName = DispatchSpecificKey<String>()

  /// What it does when it is asked.
  struct Behaviour: Sendable {
    /// How long each answer takes, given from another thread.
    var delay: Double = 0
    var saving: (@Sendable () -> (any Error)?)?
  }

  init(
    _ path: FilePath?, _ journal: Journal = Journal(), _ behaviour: Behaviour = Behaviour(),
    queue: DispatchQueue = DispatchQueue(label: "presenter")
  ) {
    self.path = Mutex(path)
    self.journal = journal
    self.behaviour = behaviour
    presentedItemQueue = queue
    queue.setSpecific(key: Self.queueName, value: queue.label)
  }

  var presentedItemPath: FilePath? { path.withLock { $0 } }

  func setPath(_ new: FilePath?) { path.withLock { $0 = new } }

  private func note(_ line: String) {
    let isOnQueue = DispatchQueue.getSpecific(key: Self.queueName) == presentedItemQueue.label
    journal.note(isOnQueue ? line : "elsewhere: \(line)")
  }

  private func answer(_ body: @escaping @Sendable () -> Void) {
    guard behaviour.delay > 0 else { return body() }
    DispatchQueue.global().asyncAfter(deadline: .now() + behaviour.delay, execute: body)
  }

  func relinquishPresentedItem(
    to accessor: FileAccessor, _ done: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
  ) {
    note("relinquish \(accessor)")
    answer { [self] in
      journal.note("relinquished")
      done { [self] in note("reacquire") }
    }
  }

  func savePresentedItemChanges(_ done: @escaping @Sendable ((any Error)?) -> Void) {
    note("save")
    answer { [self] in done(behaviour.saving?()) }
  }

  func accommodatePresentedItemDeletion(_ done: @escaping @Sendable ((any Error)?) -> Void) {
    note("accommodate")
    answer { done(nil) }
  }

  func presentedItemDidChange() { note("changed") }
  func presentedItemDidMove(to path: FilePath) {
    setPath(path)
    note("moved")
  }
  func presentedItem(_ event: FileVersionEvent, version: String) { note("\(event) \(version)") }
}
