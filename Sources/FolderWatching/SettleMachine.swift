import SystemPackage

/// Decides when to scan, from events and the time; it has no clock and does nothing itself.
///
/// The first event after quiet is scanned for at once. What arrives while that scan runs is
/// gathered: a few events are scanned for as soon as it ends, and more than a few are a burst,
/// which is left to settle, though not for ever.
///
///     var machine = SettleMachine()
///     machine.event(.changed("a"), now: .zero)              // .scan(["a"])
///     machine.event(.changed("b"), now: .milliseconds(1))   // .nothing: a scan runs
///     machine.scanFinished(now: .milliseconds(9))           // .scan(["b"])
package struct SettleMachine: Sendable {
  /// What the caller does next.
  package enum Action: Hashable, Sendable {
    /// Nothing.
    case nothing
    /// Scan these directories, then say ``SettleMachine/scanFinished(now:)``.
    case scan(Set<FilePath.Component>)
    /// Scan everything, then say ``SettleMachine/scanFinished(now:)``.
    case rescanAll
    /// Say ``SettleMachine/timerFired(now:)`` at this time; an earlier request is forgotten.
    case wake(at: Duration)
  }

  private let settle: Duration
  private let limit: Duration
  private let few: Int

  private var directories: Set<FilePath.Component> = []
  private var everything = false
  private var scanning = false
  private var gathered = 0
  private var firstAt: Duration = .zero
  private var lastAt: Duration = .zero
  private var wakeAt: Duration?

  /// A machine at rest.
  ///
  /// - parameters:
  ///   - settle: How long nothing must arrive for a burst to be over.
  ///   - limit: How long the first event of a burst waits at most, unless a scan runs for longer.
  ///   - few: Up to how many events during a scan are no burst. Not 0: whoever writes the next
  ///     file on hearing of the last one would have each settle, since its event comes before
  ///     the scan's bookkeeping is done.
  package init(
    settle: Duration = .milliseconds(20), limit: Duration = .milliseconds(250), few: Int = 4
  ) {
    self.settle = settle
    self.limit = limit
    self.few = few
  }

  /// Takes an event in.
  package mutating func event(_ event: FolderEvent, now: Duration) -> Action {
    switch event {
    case .mode: return .nothing
    case .changed(let name), .appeared(let name): directories.insert(name)
    case .overflow, .rootGone, .failed, .rescan: everything = true
    }
    if gathered == 0 { firstAt = now }
    gathered += 1
    lastAt = now
    if scanning { return .nothing }
    return wakeAt == nil ? scanNow() : .nothing
  }

  /// Notes a scan that the caller began by itself, so that none is asked for beside it.
  package mutating func scanStarted() { scanning = true }

  /// Notes that the scan has ended, and says what comes next.
  package mutating func scanFinished(now: Duration) -> Action {
    scanning = false
    if gathered == 0 { return .nothing }
    return gathered <= few ? scanNow() : settleOrScan(now: now)
  }

  /// Notes that the time asked for has come.
  package mutating func timerFired(now: Duration) -> Action {
    guard wakeAt != nil, !scanning else { return .nothing }
    return settleOrScan(now: now)
  }

  /// Events while settling move the due time alone: the timer is set anew when it fires too early.
  private mutating func settleOrScan(now: Duration) -> Action {
    let due = min(lastAt + settle, firstAt + limit)
    if due <= now { return scanNow() }
    wakeAt = due
    return .wake(at: due)
  }

  private mutating func scanNow() -> Action {
    defer {
      directories = []
      everything = false
      gathered = 0
      wakeAt = nil
      scanning = true
    }
    return everything ? .rescanAll : .scan(directories)
  }
}
