import FolderWatching
import SystemPackage

extension MetadataQuery {
  /// Delivers updates one by one.
  public struct Iterator: AsyncIteratorProtocol {
    private let query: MetadataQuery
    private let alarm: MetadataAlarm
    /// Nil until the folder is watched.
    private var survey: FolderSurvey?
    private var pace: MetadataPace
    private var generation: Int
    private var selection: MetadataSelection
    private var shown = MetadataView.empty
    private var hasGathered = false
    private var isOver = false

    init(_ query: MetadataQuery) {
      self.query = query
      alarm = MetadataAlarm(query)
      let settings = query.settings
      pace = MetadataPace(interval: settings.interval)
      (generation, selection) = (settings.generation, settings.selection)
    }

    /// Waits for the next update; nil once the task is cancelled.
    public mutating func next() async throws -> MetadataUpdate? {
      guard !isOver else { return nil }
      // Set back where there is something to deliver: after a failure, it is over.
      isOver = true
      do {
        let update = try await nextUpdate()
        isOver = update == nil
        return update
      } catch is CancellationError {
        return nil
      }
    }

    private mutating func nextUpdate() async throws -> MetadataUpdate? {
      while !Task.isCancelled {
        let now = query.folder.ambient.uptime()
        heed(query.settings)
        pace.hint(survey?.hints.take() ?? .nothing, now: now)
        let action = pace.next(now: now)
        switch action {
        case .gather:
          let problem = try await read(.everything)
          guard isStillWanted(action) else { continue }
          if let problem, !hasGathered { throw problem }
          hasGathered = true
          return .gathered(show(problem: problem, after: .empty))
        case .read(let what):
          let problem = try await read(what)
          guard isStillWanted(action) else { continue }
          let before = shown
          let result = show(problem: problem, after: before)
          if shown != before { return .updated(result) }
        case .wait(let time):
          guard await wait(until: time) else { return nil }
        }
      }
      return nil
    }

    /// Whether what was read may be told: nobody has frozen or restarted the query meanwhile.
    private mutating func isStillWanted(_ action: MetadataPace.Action) -> Bool {
      let former = generation
      heed(query.settings)
      guard pace.isFrozen || generation != former else { return true }
      pace.postpone(action, now: query.folder.ambient.uptime())
      return false
    }

    private mutating func heed(_ settings: Settings) {
      pace.interval = settings.interval
      pace.isFrozen = settings.frozen > 0
      guard settings.generation != generation else { return }
      (generation, selection) = (settings.generation, settings.selection)
      pace.restart()
    }

    /// Reads the folder; returns why all of it cannot be read, if so.
    private mutating func read(_ what: FolderHint) async throws -> DocumentFileError? {
      let (folder, former, ring) = (query.folder, survey, alarm.ring)
      let (after, problem) = try await onQueue { () -> (FolderSurvey?, DocumentFileError?) in
        do {
          if let reason = try folder.absence() {
            throw DocumentFileError.folderAway(path: folder.path.string, reason: reason)
          }
          // Not before: a file system whose server is gone does not say either whether it can be
          // watched, and keeps who asks.
          var survey = former ?? folder.survey(waking: ring)
          switch what {
          case .everything: try survey.readAll()
          case .folders(let paths): try survey.read(paths)
          }
          return (survey, nil)
        } catch let error as DocumentFileError {
          return (former, error)
        }
      }
      survey = after
      pace.finished(
        what, isWatched: problem == nil && after?.isWatched == true, now: folder.ambient.uptime())
      return problem
    }

    private mutating func show(
      problem: DocumentFileError?, after before: MetadataView
    ) -> MetadataResult {
      shown = selection.view(of: survey?.snapshot ?? FolderSnapshot(), problem: problem)
      return shown.result(after: before)
    }

    /// Waits for a hint, a change of the settings or a time; false once the task is cancelled.
    private func wait(until time: Duration?) async -> Bool {
      let (ambient, alarm) = (query.folder.ambient, alarm)
      let timer = time.map { time in
        Task {
          // One that is cancelled must not ring: each waiting would end the next one.
          try await ambient.sleep(time - ambient.uptime())
          alarm.ring()
        }
      }
      defer { timer?.cancel() }
      return await alarm.wait()
    }
  }
}

extension DocumentFolder {
  /// Looks at the folder as a query does, and is told of what happens in it.
  fileprivate func survey(waking ring: @escaping @Sendable () -> Void) -> FolderSurvey {
    FolderSurvey(path, hints: ambient.watchTree(path, ring), look: ambient.look)
  }
}

/// What an iterator waits for; it lives as long as the iterator.
final class MetadataAlarm: Sendable {
  private let query: MetadataQuery
  private let follower: Int
  private let rings: AsyncStream<Void>
  /// Ends the waiting, now or the next time.
  let ring: @Sendable () -> Void

  init(_ query: MetadataQuery) {
    let (rings, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.rings = rings
    self.query = query
    ring = { continuation.yield() }
    follower = query.follow { continuation.yield() }
  }

  deinit { query.release(follower) }

  /// False once the task is cancelled.
  func wait() async -> Bool {
    for await _ in rings { return true }
    return false
  }
}

/// For who looks once.
struct NoHints: FolderHints {
  func watch(_ folder: FilePath) {}
  func forget(_ folder: FilePath) {}
  func take() -> FolderHint { .nothing }
  var seesAll: Bool { false }
}
