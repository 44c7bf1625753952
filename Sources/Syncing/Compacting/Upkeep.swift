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
    let (database, start) = (device.database, device.ambient.now())
    guard limits.interval > 0,
      try database.isLookingAfterDue(every: limits.interval, now: start)
    else { return nil }
    // Before it is noted, so that what ends or fails here is begun again.
    let unread = try readOwnFiles(from: start)
    if unread == nil {
      guard try database.beginLookingAfter(every: limits.interval, now: start) else { return nil }
    }
    return try run(from: start, unread: unread)
  }

  /// Does what is to be done, whenever that was done last.
  ///
  /// - throws: as ``runIfDue()``.
  package func run() throws -> CompactionReport {
    let start = device.ambient.now()
    return try run(from: start, unread: try readOwnFiles(from: start))
  }

  /// - returns: when the first file of this device's changed that is still to be read; nil if all
  ///   are. That is noted.
  private func readOwnFiles(from start: Int64) throws -> Int64? {
    let unread = try OwnFilesCheck(
      of: device, isStopping: isEnding(from: start), isCancelled: isStopping
    ).run(after: try device.database.ownFilesRead())
    if let unread { try device.database.noteLookingAfterUnfinished(read: unread) }
    return unread
  }

  private func run(from start: Int64, unread: Int64?) throws -> CompactionReport {
    if try device.database.acknowledge(
      after: limits.silence, now: device.ambient.time, nonce: device.nonce)
    {
      _ = try Publisher(device: device).publishAll(unless: isStopping)
    }
    var compactor = Compactor(device: device, limits: limits)
    compactor.isCancelled = isStopping
    compactor.isStopping = isEnding(from: start)
    var report = try compactor.run()
    if unread != nil {
      report.isStopped = true
    } else if report.isStopped {
      try device.database.noteLookingAfterUnfinished(read: OwnFilesCheck.whatIsRead(at: start))
    }
    return report
  }

  /// Whether the time is over, of a run that began then.
  private func isEnding(from start: Int64) -> () -> Bool {
    let (now, budget, isStopping) = (device.ambient.now, budget, isStopping)
    return { isStopping() || budget.map { !(0...$0).contains(now() - start) } ?? false }
  }
}
