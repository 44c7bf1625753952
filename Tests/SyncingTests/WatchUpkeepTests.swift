import Dispatch
import DocumentStorage
import Synchronization
import Syncing
import SystemPackage
import TestSupport
import Testing

/// Ann's watch looks after her files; time is told, and each rest is hers to end.
@Suite("What a watch does for the device's own files", .timeLimit(.minutes(5)))
struct WatchUpkeepTests {
  private static let hour: Int64 = 3_600_000
  private let world: World
  private let ann: Peer
  private let clock = RestClock()
  private let outcomes = Outcomes()

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    try ann.publish(0..<40, to: "x")
  }

  private func upkeep(
    settings: @escaping @Sendable () throws -> UpkeepSettings = { UpkeepSettings() }
  ) -> WatchUpkeep {
    WatchUpkeep(
      open: { [ann] in ann.device }, settings: settings, executor: DispatchThreads(), clock: clock,
      report: { [outcomes] in outcomes.add($0) })
  }

  private var files: Int { get throws { try world.logs(in: ann.folder).count } }

  @Test("is done at once, then every hour, until it is cancelled")
  func hourly() async throws {
    let task = upkeep().start()
    var rests = clock.rests.makeAsyncIterator()
    #expect(await rests.next() == .milliseconds(Self.hour))
    #expect(outcomes.joined == [40])
    #expect(try files == 41)
    // The grace, day by day: of a week without a look not all counts.
    for _ in 0..<7 {
      #expect(try files == 41)
      world.advance(milliseconds: UpkeepSetting.grace.standard / 7)
      clock.wake()
      #expect(await rests.next() == .milliseconds(Self.hour))
    }
    #expect(try files == 1)
    task.cancel()
    await task.value
    #expect(outcomes.joined == [40, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test("is left to somebody else who has just done it")
  func shared() async throws {
    _ = try Upkeep(device: ann.device).runIfDue()
    world.advance(milliseconds: Self.hour / 4)
    let task = upkeep().start()
    var rests = clock.rests.makeAsyncIterator()
    #expect(await rests.next() == .milliseconds(Self.hour * 3 / 4))
    #expect(outcomes.joined.isEmpty)
    task.cancel()
    await task.value
  }

  @Test("goes on after a minute's rest with what its budget did not allow")
  func budget() async throws {
    // More than is joined at once, which is done whatever the budget says.
    var random = SeededGenerator(seed: 1)
    for number in 0..<120 {
      let text = (0..<1000).map { _ in String(random.next(), radix: 36) }.joined()
      try ann.put("large\(number)", #"{"text":"\#(text)"}"#)
      try ann.publish()
    }
    // Time passes whenever somebody asks for it.
    let task = WatchUpkeep(
      open: { [world, ann] in
        let slow = Ambient(
          now: {
            world.advance(milliseconds: 1_500)
            return ann.device.ambient.now()
          }, random: ann.device.ambient.random)
        return Device(
          record: ann.device.record, database: ann.device.database,
          container: ann.device.container, ambient: slow)
      }, settings: { UpkeepSettings() }, executor: DispatchThreads(), clock: clock,
      report: { [outcomes] in outcomes.add($0) }
    ).start()
    var rests = clock.rests.makeAsyncIterator()
    #expect(await rests.next() == .seconds(60))
    #expect((outcomes.joined.first ?? 0) > 0)
    task.cancel()
    await task.value
  }

  @Test("is not done where the settings say never, and is once they say otherwise")
  func never() async throws {
    let settings = Settings()
    try settings.set(.interval, to: 0)
    let task = upkeep(settings: { settings.value }).start()
    var rests = clock.rests.makeAsyncIterator()
    _ = await rests.next()
    #expect(outcomes.joined.isEmpty)
    try settings.set(.interval, to: Self.hour / 2)
    clock.wake()
    #expect(await rests.next() == .milliseconds(Self.hour / 2))
    #expect(outcomes.joined == [40])
    task.cancel()
    await task.value
  }

  @Test("is told once where it fails, and tried again")
  func failing() async throws {
    let settings = Settings()
    settings.areReadable = false
    let task = upkeep(settings: { try settings.read() }).start()
    var rests = clock.rests.makeAsyncIterator()
    #expect(await rests.next() == .seconds(600))
    clock.wake()
    #expect(await rests.next() == .seconds(600))
    #expect(outcomes.failures == 1)
    settings.areReadable = true
    clock.wake()
    #expect(await rests.next() == .milliseconds(Self.hour))
    #expect(outcomes.joined == [40])
    task.cancel()
    await task.value
  }

  @Test("leaves it to the watch to tell that the folder is away, and is tried again")
  func away() async throws {
    let marker = ann.device.container.markerFile
    try world.remove(marker)
    let task = upkeep().start()
    var rests = clock.rests.makeAsyncIterator()
    #expect(await rests.next() == .seconds(600))
    clock.wake()
    #expect(await rests.next() == .seconds(600))
    #expect(outcomes.failures == 0)
    try world.place(world.marker.bytes, at: marker)
    clock.wake()
    #expect(await rests.next() == .milliseconds(Self.hour))
    #expect(outcomes.joined == [40])
    task.cancel()
    await task.value
  }
}

/// What was reported.
private final class Outcomes: Sendable {
  private let all = Mutex<[WatchUpkeep.Outcome]>([])

  func add(_ outcome: WatchUpkeep.Outcome) { all.withLock { $0.append(outcome) } }

  /// How many files were joined each time.
  var joined: [Int] {
    all.withLock { $0.compactMap { if case .done(let report) = $0 { report.joined } else { nil } } }
  }

  var failures: Int {
    all.withLock { $0.count { if case .failed = $0 { true } else { false } } }
  }
}

/// Settings that change while a watch goes by them.
private final class Settings: Sendable {
  private let state = Mutex((settings: UpkeepSettings(), areReadable: true))

  var value: UpkeepSettings { state.withLock(\.settings) }

  var areReadable: Bool {
    get { state.withLock(\.areReadable) }
    set { state.withLock { $0.areReadable = newValue } }
  }

  func read() throws -> UpkeepSettings {
    guard areReadable else { throw SettingError.unknown("nothing of the kind") }
    return value
  }

  func set(_ setting: UpkeepSetting, to value: Int64) throws {
    try state.withLock { try $0.settings.set(setting, to: value) }
  }
}

/// Threads that may wait.
private final class DispatchThreads: TaskExecutor {
  private let queue = DispatchQueue(label: "upkeep", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
