import DocumentStorage
import Replication

/// What a device does for its folder now and then, whatever its user does: says what it has, joins
/// its files, and drops what is dead of them.
///
///     let upkeep = Upkeep(device: device)
///     try upkeep.runIfDue()
package struct Upkeep {
  private let device: Device
  private let limits: CompactionLimits
  /// For how long it may go on, in milliseconds, if not to the end.
  ///
  /// The next run goes on behind it; so each does the first of each kind of work on a stream,
  /// however long it took to find that.
  package var budget: Int64? = 2_000
  /// Asked between files whether to end early.
  package var isStopping: () -> Bool = { false }

  package init(device: Device, limits: CompactionLimits = .standard) {
    self.device = device
    self.limits = limits
  }

  /// Goes by what the user has said.
  package init(device: Device, settings: UpkeepSettings) {
    self.init(device: device, limits: settings.limits)
    budget = settings[.budget]
  }

  /// Does what is to be done, if it has not been done for ``CompactionLimits/interval``.
  ///
  /// - returns: what was done; nil if it was not due, or shall never be by itself.
  /// - throws: as ``Compactor/run()``, and ``Publisher/publishAll(unless:)``.
  @discardableResult
  package func runIfDue() throws -> CompactionReport? {
    let start = device.ambient.now()
    let last = try device.database.lastLookingAfter()
    guard limits.interval > 0,
      try device.database.isLookingAfterDue(every: limits.interval, now: start)
    else { return nil }
    return try run(since: start, after: last)
  }

  /// Does what is to be done, whenever that was done last.
  ///
  /// - throws: as ``runIfDue()``.
  package func run() throws -> CompactionReport {
    try run(since: device.ambient.now(), after: device.database.lastLookingAfter())
  }

  /// - parameter last: when that was done before; nil where it is not known.
  private func run(since start: Int64, after last: Int64?) throws -> CompactionReport {
    let (now, budget, isStopping) = (device.ambient.now, budget, isStopping)
    let isEnding = {
      isStopping() || budget.map { !(0...$0).contains(now() - start) } ?? false
    }
    if let last { try OwnFilesCheck(of: device, isStopping: isEnding).run(since: last) }
    if try device.database.acknowledge(
      after: limits.silence, now: device.ambient.time, nonce: device.nonce)
    {
      _ = try Publisher(device: device).publishAll(unless: isStopping)
    }
    var compactor = Compactor(device: device, limits: limits)
    compactor.isCancelled = isStopping
    compactor.isStopping = isEnding
    let report = try compactor.run()
    if report.isStopped { try device.database.noteLookingAfterUnfinished() }
    return report
  }
}
