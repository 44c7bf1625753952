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
  /// Something failed that a later scan may find mended; watching goes on.
  case failed(any Error & Sendable)
}

/// Imports what arrives, as it arrives, until it is stopped.
///
/// Events only say where to look; each look is a scan of those directories (design.md, "Watching").
package struct WatchSession: Sendable {
  private let device: Device
  private let watcher: FolderWatcher
  private let clock: any Clock<Duration>

  package init(
    device: Device, watcher: FolderWatcher, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.device = device
    self.watcher = watcher
    self.clock = clock
  }

  /// Watches until the surrounding task is cancelled.
  ///
  /// - parameter report: called with each event, after the commit that it tells of.
  /// - throws: ``ContainerError`` if the folder is not there at the start, and whatever `report`
  ///   throws.
  package func run(_ report: @escaping (WatchEvent) throws -> Void) async throws {
    try device.requireContainer()
    let mailbox = Mailbox()
    let mode = try await watcher.start { mailbox.put($0) }
    var loop = WatchLoop(device: device, report: report)
    do {
      try loop.scan(nil)
      try loop.announce(mode)
      try await follow(mailbox, loop: &loop)
    } catch {
      await watcher.stop()
      throw error
    }
    await watcher.stop()
  }

  private func follow(_ mailbox: Mailbox, loop: inout WatchLoop) async throws {
    var machine = SettleMachine()
    var timer: Task<Void, Never>?
    defer { timer?.cancel() }
    let start = ContinuousClock.now
    func now() -> Duration { ContinuousClock.now - start }
    for await _ in mailbox.wakeUps {
      var action = try take(mailbox.takeAll(), into: &machine, loop: loop, now: now())
      if case .nothing = action { action = machine.timerFired(now: now()) }
      // A scan may leave something that is due at once.
      while let directories = action.directories {
        machine.scanStarted()
        try loop.scan(directories)
        _ = try take(mailbox.takeAll(), into: &machine, loop: loop, now: now())
        action = machine.scanFinished(now: now())
      }
      guard case .wake(let moment) = action else { continue }
      timer?.cancel()
      timer = wake(mailbox, after: max(moment - now(), .zero))
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
    _ events: [FolderEvent], into machine: inout SettleMachine, loop: WatchLoop, now: Duration
  ) throws -> SettleMachine.Action {
    var wanted = SettleMachine.Action.nothing
    for event in events {
      if case .mode(let mode) = event { try loop.changed(mode) }
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

/// Scans, and tells what is new since the scan before.
private struct WatchLoop {
  private let importer: Importer
  private let report: (WatchEvent) throws -> Void
  private var gaps: Set<ImportReport.Gap> = []
  private var setAside: [FileKey: FileRecord] = [:]

  init(device: Device, report: @escaping (WatchEvent) throws -> Void) {
    importer = Importer(device: device)
    self.report = report
    importer.onPart = { part in
      for from in part.devices { try report(.imported(from)) }
    }
  }

  func announce(_ mode: WatchMode) throws { try report(.watching(mode)) }

  func changed(_ mode: WatchMode) throws { try report(.mode(mode)) }

  mutating func scan(_ directories: Set<FilePath.Component>?) throws {
    let found: ImportReport
    do {
      found = try importer.importAll(in: directories)
    } catch let error as ContainerError {
      // Unmounted, emptied: absence means nothing, so wait for its return. Another container is
      // another matter.
      switch error {
      case .folderMissing, .markerMissing: return try report(.failed(error))
      default: throw error
      }
    } catch let error as FileError {
      return try report(.failed(error))
    }
    if let failure = found.publishingFailure as? FileError { try report(.failed(failure)) }
    for file in found.restored { try report(.restored(file)) }
    for gap in found.gaps where !gaps.contains(gap) { try report(.gap(gap)) }
    gaps = Set(found.gaps)
    let current = Dictionary(uniqueKeysWithValues: found.setAside.map { ($0.key, $0) })
    for record in found.setAside where setAside[record.key]?.reason != record.reason {
      try report(.setAside(record))
    }
    setAside = current
  }
}
