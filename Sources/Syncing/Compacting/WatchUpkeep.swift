import DocumentStorage
import SharedFolder

/// Looks after a device's files beside a watch, on a thread and a connection of its own: what
/// arrives meanwhile is imported as if nothing else were done.
///
///     let upkeep = WatchUpkeep(open: { try … }, settings: { try … }, executor: executor)
///     let session = WatchSession(device: device, watcher: watcher, upkeep: upkeep)
///
/// The database lets one write at a time, and none of the upkeep's takes long. That somebody else,
/// such as `import --once`, looks after the same device is noted there: whoever comes second finds
/// that nothing is due.
package struct WatchUpkeep: Sendable {
  /// What came of it.
  package enum Outcome: Sendable {
    case done(CompactionReport)
    /// It is tried again; told once as long as the same fails, and not where the folder is away.
    case failed(any Error & Sendable)
  }

  /// When to go on with what was more than the budget let be done: rarely enough that a machine
  /// with a battery hardly notices, often enough that a year's files are done in hours.
  private static let restAfterBudget = Duration.seconds(60)
  private static let restAfterFailure = Duration.seconds(600)
  /// When to look again at settings that say that nothing is to be done.
  private static let restWhileOff = Duration.seconds(3_600)

  private let open: @Sendable () throws -> Device
  private let settings: @Sendable () throws -> UpkeepSettings
  private let executor: any TaskExecutor
  private let clock: any Clock<Duration>
  private let report: @Sendable (Outcome) -> Void

  /// - parameters:
  ///   - open: opens the device anew, so that others' transactions do not wait for the upkeep's
  ///     reading.
  ///   - settings: read each time.
  ///   - executor: whose threads may wait for a disk.
  ///   - report: called on such a thread.
  package init(
    open: @escaping @Sendable () throws -> Device,
    settings: @escaping @Sendable () throws -> UpkeepSettings,
    executor: any TaskExecutor, clock: any Clock<Duration> = ContinuousClock(),
    report: @escaping @Sendable (Outcome) -> Void = { _ in }
  ) {
    self.open = open
    self.settings = settings
    self.executor = executor
    self.clock = clock
    self.report = report
  }

  /// Looks after the files at once, if that is due, and then as often as the settings say; until
  /// the task is cancelled.
  package func start() -> Task<Void, Never> {
    Task(executorPreference: executor) {
      var lastFailure: String?
      while !Task.isCancelled {
        let rest: Duration
        do {
          rest = try lookAfter(isRepeated: lastFailure != nil)
          lastFailure = nil
        } catch {
          // That the folder is away the watch tells, and when it is back.
          let isAway = (error as? ContainerError)?.isAbsence ?? false
          if !isAway, lastFailure != "\(error)" { report(.failed(error)) }
          lastFailure = "\(error)"
          rest = Self.restAfterFailure
        }
        // That it was cancelled is no failure.
        try? await clock.sleep(for: rest)
      }
    }
  }

  /// - parameter isRepeated: whether it failed the last time: that it was due then is noted.
  /// - returns: when to come back.
  private func lookAfter(isRepeated: Bool) throws -> Duration {
    let settings = try settings()
    let interval = settings[.interval]
    guard interval > 0 else { return Self.restWhileOff }
    let device = try open()
    var upkeep = Upkeep(device: device, settings: settings)
    upkeep.isStopping = { Task.isCancelled }
    if let done = try isRepeated ? upkeep.run() : upkeep.runIfDue() {
      report(.done(done))
      return done.isStopped ? Self.restAfterBudget : .milliseconds(interval)
    }
    // Somebody else has done it.
    let last = try device.database.lookedAfterAt() ?? 0
    let left = min(max(last + interval - device.ambient.now(), 1_000), interval)
    return .milliseconds(left)
  }
}
