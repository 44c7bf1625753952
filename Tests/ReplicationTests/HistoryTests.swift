import Glibc
import Replication
import Testing

/// Random histories, each compared with the plain model after every step.
@Suite struct HistoryTests {
  private static let parts = 16

  static func setting(_ name: String) -> UInt64? {
    getenv(name).flatMap { UInt64(String(cString: $0)) }
  }

  @Test(arguments: 0..<parts)
  func devicesShowWhatTheProtocolSays(part: Int) throws {
    let count = Int(Self.setting("FEEDSYNC_HISTORIES") ?? 2_000)
    let first = Self.setting("FEEDSYNC_SEED") ?? UInt64.random(in: 0..<1 << 40)
    if part == 0 { print("histories: repeat with FEEDSYNC_SEED=\(first)") }
    for number in 0..<(count + Self.parts - 1) / Self.parts {
      let seed = first &+ UInt64(number * Self.parts + part)
      guard let report = HistoryRun.failure(of: seed) else { continue }
      Issue.record("\(report)")
      return
    }
  }

  @Test(arguments: [354_670_348_134, 1_096_593_709_924] as [UInt64])
  func whatAStartHasCountedIsNotCountedBesideALaterOne(seed: UInt64) {
    #expect(HistoryRun.failure(of: seed) == nil)
  }

  @Test func whoTakesElementsOutOfASetThatIsGoneBringsNothingBack() {
    #expect(HistoryRun.failure(of: 7_654_528_948) == nil)
  }
}

/// The same where a device writes kinds that the others do not understand, until all are upgraded.
@Suite struct NewerHistoryTests {
  @Test(arguments: 0..<4)
  func devicesShowWhatTheProtocolSays(part: Int) throws {
    let count = Int(HistoryTests.setting("FEEDSYNC_HISTORIES") ?? 400)
    let first = HistoryTests.setting("FEEDSYNC_SEED") ?? UInt64.random(in: 0..<1 << 40)
    for number in 0..<(count + 3) / 4 {
      let seed = first &+ UInt64(number * 4 + part)
      guard let report = HistoryRun.failure(of: seed, size: History.Size(hasNewer: true)) else {
        continue
      }
      Issue.record("\(report)")
      return
    }
  }
}

/// Runs one history, and makes it short and readable where it fails.
enum HistoryRun {
  /// Nil if all is well, else the shortest history found that fails likewise.
  static func failure(of seed: UInt64, size: History.Size = History.Size()) -> String? {
    let length = History(seed: seed, size: size).length
    var steps = Array(0..<length)
    guard run(seed, size, steps) != nil else { return nil }
    var isShrinking = true
    while isShrinking {
      isShrinking = false
      for index in steps.indices.reversed() {
        var fewer = steps
        fewer.remove(at: index)
        guard run(seed, size, fewer) != nil else { continue }
        steps = fewer
        isShrinking = true
      }
    }
    let (message, trace) =
      run(seed, size, steps, isTracing: true) ?? ("no failure when repeated", [])
    return (["seed \(seed): \(message)"] + trace.map { "  " + $0 }).joined(separator: "\n")
  }

  private static func run(
    _ seed: UInt64, _ size: History.Size, _ steps: [Int], isTracing: Bool = false
  ) -> (String, [String])? {
    var history = History(seed: seed, size: size)
    history.isTracing = isTracing
    do {
      for step in steps { try history.take(step) }
      try history.deliverEverything()
      return nil
    } catch {
      return ((error as? History.Failure)?.message ?? "\(error)", history.trace)
    }
  }
}
