import FolderWatching
import SystemPackage

/// How a caller follows a folder: events into a ``SettleMachine``, its actions into scans.
///
/// The scans here gather the names of the files.
actor ScanLoop {
  private(set) var found: Set<String> = []
  private(set) var scans = 0
  private var machine = SettleMachine()
  private let logs: FilePath
  private let start = ContinuousClock.now
  private var timer: Task<Void, Never>?
  private var now: Duration { start.duration(to: .now) }

  init(logs: FilePath) { self.logs = logs }

  /// Handles events until the stream ends.
  func follow(_ events: AsyncStream<FolderEvent>) async {
    for await event in events { perform(machine.event(event, now: now)) }
    timer?.cancel()
  }

  private func perform(_ action: SettleMachine.Action) {
    switch action {
    case .nothing: break
    case .wake(let time): wake(at: time)
    case .scan(let streams): scan(streams)
    case .rescanAll: scan(Set(names(logs).compactMap { FilePath.Component($0) }))
    }
  }

  private func wake(at time: Duration) {
    timer?.cancel()
    timer = Task {
      try? await ContinuousClock().sleep(until: start + time)
      if !Task.isCancelled { perform(machine.timerFired(now: now)) }
    }
  }

  /// In a task of its own, so that events come in while it runs.
  private func scan(_ streams: Set<FilePath.Component>) {
    scans += 1
    let logs = logs
    Task {
      let files = await Task.detached {
        streams.flatMap { stream in
          names(logs.appending(stream)).filter { $0.hasSuffix(".log") && !$0.hasPrefix(".") }.map {
            "\(stream)/\($0)"
          }
        }
      }.value
      found.formUnion(files)
      perform(machine.scanFinished(now: now))
    }
  }
}
