import DocumentStorage
import FolderWatching
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

/// What `watch` tells, in the order in which it happened.
package enum WatchEvent: Sendable {
  /// Subscribed, and the first scan is done.
  case watching(WatchMode)
  /// How changes are found has changed.
  case mode(WatchMode)
  case imported(ImportedPart.FromDevice)
  case gap(ImportReport.Gap)
  case setAside(FileRecord)
  /// A file that had been set aside is whole now, and was imported.
  case restored(FileKey)
  /// So many documents were written anew, which others had deleted and forgotten while they were
  /// edited here (protocol.md 24).
  case revived(Int)
  /// So many removals that had waited here were given up, since somebody had written there
  /// meanwhile without having seen them (protocol.md 4, 7).
  case removalsGivenUp(Int)
  /// Something failed that a later scan may find mended; watching goes on.
  case failed(any Error & Sendable)
  /// The first look without a failure since the last that failed.
  case recovered
}

/// Imports what arrives, as it arrives, until it is stopped.
///
/// Events only say where to look; each look is a scan of those directories (design.md, "Watching").
package struct WatchSession: Sendable {
  private let device: Device
  private let watcher: FolderWatcher
  private let clock: any Clock<Duration>
  private let upkeep: WatchUpkeep?
  private let limits: ImportPart.Limits

  /// - parameters:
  ///   - upkeep: what is done for the device's own files meanwhile.
  ///   - limits: how much is read before it is written.
  package init(
    device: Device, watcher: FolderWatcher, clock: any Clock<Duration> = ContinuousClock(),
    upkeep: WatchUpkeep? = nil, limits: ImportPart.Limits = .standard
  ) {
    self.device = device
    self.watcher = watcher
    self.clock = clock
    self.upkeep = upkeep
    self.limits = limits
  }

  /// Watches until the surrounding task is cancelled.
  ///
  /// - parameters:
  ///   - waitsForFolder: whether a folder that is not there at the start is waited for.
  ///   - isFailing: whether the last look of the session before had failed: then the first that
  ///     does not is told (``WatchEvent/recovered``).
  ///   - held: where the first look keeps what it imports, for who has to leave before it ends.
  ///   - report: called with each event, after the commit that it tells of.
  /// - throws: ``ContainerError`` if the folder is not there at the start and not waited for, or
  ///   is another container; and whatever `report` throws.
  package func run(
    waitsForFolder: Bool = false, isFailing: Bool = false, held: HeldEvents = HeldEvents(),
    _ report: @escaping (WatchEvent) throws -> Void
  ) async throws {
    let absence: ContainerError?
    do {
      absence = try device.absence()
    } catch is FileError where waitsForFolder {
      // The first look tells of it, as later ones do.
      absence = nil
    }
    // Who is cancelled waits for no answer, and takes the folder for one that is away. And a
    // process has but one watcher: not to be taken by one who will not use it.
    try Task.checkCancellation()
    if let absence, !waitsForFolder { throw absence }
    let mailbox = Mailbox()
    let mode = try await watcher.start { mailbox.put($0) }
    var upkeepTask: Task<Void, Never>?
    do {
      var loop = WatchLoop(device: device, limits: limits, isFailing: isFailing)
      held.begin(mode)
      try lookFirst(&loop, held, report: report)
      // Not beside the first scan, which may have much to import.
      upkeepTask = upkeep?.start()
      try await follow(mailbox, loop: &loop, report: report)
    } catch {
      await end(upkeepTask)
      throw error
    }
    await end(upkeepTask)
  }

  /// Makes the first scan, and tells what it brings after the line that says that it is done.
  ///
  /// Also where it is ended before: no later one brings again what is committed.
  private func lookFirst(
    _ loop: inout WatchLoop, _ held: HeldEvents,
    report: @escaping (WatchEvent) throws -> Void
  ) throws {
    let outcome = Result {
      try loop.scan(nil) { event in if !held.hold(event) { try report(event) } }
    }
    let events = held.release()
    // More than the line that says that it watches, which would not be true.
    if case .failure(let error) = outcome, events.count < 2 { throw error }
    for event in events { try report(event) }
    for event in try outcome.get() { try report(event) }
  }

  private func end(_ upkeepTask: Task<Void, Never>?) async {
    upkeepTask?.cancel()
    await watcher.stop()
    // It ends after the file at hand: what it has begun is not left to the next run.
    await upkeepTask?.value
  }

  private func follow(
    _ mailbox: Mailbox, loop: inout WatchLoop, report: @escaping (WatchEvent) throws -> Void
  ) async throws {
    var machine = SettleMachine()
    var timer: Task<Void, Never>?
    // What failed may be mended without an event: a marker that comes, a disk that has room again.
    var retry = loop.retryDelay.map { rescan(mailbox, after: $0) }
    defer {
      timer?.cancel()
      retry?.cancel()
    }
    let start = ContinuousClock.now
    func now() -> Duration { ContinuousClock.now - start }
    for await _ in mailbox.wakeUps {
      var action = try take(mailbox.takeAll(), into: &machine, now: now(), report: report)
      if case .nothing = action { action = machine.timerFired(now: now()) }
      // A scan may leave something that is due at once.
      while let directories = action.directories {
        machine.scanStarted()
        for event in try loop.scan(directories, onImport: report) { try report(event) }
        _ = try take(mailbox.takeAll(), into: &machine, now: now(), report: report)
        action = machine.scanFinished(now: now())
        retry?.cancel()
        retry = loop.retryDelay.map { rescan(mailbox, after: $0) }
      }
      guard case .wake(let moment) = action else { continue }
      timer?.cancel()
      timer = wake(mailbox, after: max(moment - now(), .zero))
    }
  }

  /// Asks for another look in a while.
  private func rescan(_ mailbox: Mailbox, after delay: Duration) -> Task<Void, Never> {
    let clock = clock
    return Task {
      guard (try? await clock.sleep(for: delay)) != nil else { return }
      mailbox.put(.rescan)
    }
  }

  private func wake(_ mailbox: Mailbox, after delay: Duration) -> Task<Void, Never> {
    let clock = clock
    return Task {
      guard (try? await clock.sleep(for: delay)) != nil else { return }
      mailbox.wake()
    }
  }

  /// Gives events to the machine; what it asks for first is what is to be done.
  private func take(
    _ events: [FolderEvent], into machine: inout SettleMachine, now: Duration,
    report: (WatchEvent) throws -> Void
  ) throws -> SettleMachine.Action {
    var wanted = SettleMachine.Action.nothing
    for event in events {
      if case .mode(let mode) = event { try report(.mode(mode)) }
      let action = machine.event(event, now: now)
      if case .nothing = wanted { wanted = action }
    }
    return wanted
  }
}

extension SettleMachine.Action {
  /// What to scan now: some directories, or all (nil inside); nil for nothing.
  fileprivate var directories: Set<FilePath.Component>?? {
    switch self {
    case .scan(let directories): .some(.some(directories))
    case .rescanAll: .some(.none)
    case .wake, .nothing: .none
    }
  }
}
