import Glibc
import Replication
import Testing

/// Random histories of cloned and restored devices, each compared with the plain model.
@Suite struct ForkHistoryTests {
  private static let parts = 8

  private static func setting(_ name: String) -> UInt64? {
    getenv(name).flatMap { UInt64(String(cString: $0)) }
  }

  private static var count: Int { Int(setting("FEEDSYNC_HISTORIES") ?? 1_600) }
  private static let first = setting("FEEDSYNC_SEED") ?? UInt64.random(in: 0..<1 << 40)

  private static func seeds(of part: Int) -> [UInt64] {
    (0..<(count + parts - 1) / parts).map { first &+ UInt64($0 * parts + part) }
  }

  @Test(arguments: 0..<parts)
  func clonesAndTheirReadersShowWhatTheProtocolSays(part: Int) throws {
    if part == 0 { print("fork histories: repeat with FEEDSYNC_SEED=\(Self.first)") }
    for seed in Self.seeds(of: part) {
      guard let report = ForkHistoryRun(seed: seed).failure() else { continue }
      Issue.record("\(report)")
      return
    }
  }

  @Test(arguments: 0..<parts)
  func nothingIsForgottenForABranchThatNeverComes(part: Int) throws {
    for seed in Self.seeds(of: part) {
      guard let report = ForkHistoryRun(seed: seed, losesTails: true).failure() else { continue }
      Issue.record("\(report)")
      return
    }
  }

  @Test(arguments: 0..<parts)
  func whatOnlyANewerProgramUnderstandsIsGivenUpAndComes(part: Int) throws {
    for seed in Self.seeds(of: part) {
      let run = ForkHistoryRun(seed: seed, losesTails: true, hasNewer: true)
      guard let report = run.failure() else { continue }
      Issue.record("\(report)")
      return
    }
  }

  @Test(arguments: 0..<parts)
  func countersAndSetsOfClonesAreWhatTheProtocolSays(part: Int) throws {
    for seed in Self.seeds(of: part) {
      let run = ForkHistoryRun(
        seed: seed, losesTails: seed % 3 > 0, hasNewer: seed % 3 == 2, hasKinds: true)
      guard let report = run.failure() else { continue }
      Issue.record("\(report)")
      return
    }
  }

  /// What was given up came, and was not understood; whoever had named it wrote once more.
  @Test func whatIsClaimedGivenUpStaysClaimedThoughItHasCome() {
    let run = ForkHistoryRun(seed: 525_725_507_165, losesTails: true, hasNewer: true)
    #expect(run.failure() == nil)
  }

  /// Two transactions, each of another branch of what the other one's author had seen, and lost.
  @Test func whatWaitsForOneAnotherClosesOnceItIsGivenUp() {
    let run = ForkHistoryRun(
      seed: 261_306_356_897, losesTails: true, hasNewer: true, hasKinds: true)
    #expect(run.failure() == nil)
  }

  /// One branch was given up, and counted as seen; then another came, which waits for something.
  @Test func whatIsClosedStaysSo() {
    #expect(ForkHistoryRun(seed: 638_440_904_710, losesTails: true).failure() == nil)
  }

  /// The way that seems to do, and loses writes.
  @Test func judgedBySequenceAloneWritesAreLost() {
    let lost = (0..<600).count { number in
      ForkHistoryRun(seed: 4_000 + UInt64(number), judgesBySequence: true).failure() != nil
    }
    print("fork histories: judged by sequence alone, \(lost) of 600 fail")
    #expect(lost >= 20)
  }
}

/// Runs one history, and makes it short and readable where it fails.
struct ForkHistoryRun {
  let seed: UInt64
  var judgesBySequence = false
  var losesTails = false
  var hasNewer = false
  var hasKinds = false

  /// Nil if all is well, else the shortest history found that fails likewise.
  func failure() -> String? {
    var steps = Array(0..<history.length)
    guard run(steps) != nil else { return nil }
    var isShrinking = !judgesBySequence
    while isShrinking {
      isShrinking = false
      for index in steps.indices.reversed() {
        var fewer = steps
        fewer.remove(at: index)
        guard run(fewer) != nil else { continue }
        steps = fewer
        isShrinking = true
      }
    }
    let (message, trace) = run(steps, isTracing: true) ?? ("no failure when repeated", [])
    return (["seed \(seed): \(message)"] + trace.map { "  " + $0 }).joined(separator: "\n")
  }

  private var history: ForkHistory {
    ForkHistory(
      seed: seed, judgesBySequence: judgesBySequence, losesTails: losesTails,
      hasNewer: hasNewer, hasKinds: hasKinds)
  }

  private func run(_ steps: [Int], isTracing: Bool = false) -> (String, [String])? {
    var history = history
    history.isTracing = isTracing
    do {
      for step in steps { try history.take(step) }
      try history.deliverEverything()
      if hasNewer {
        for device in history.devices.indices { try history.upgrade(device) }
        try history.deliverEverything()
      }
      if losesTails { try history.giveUpEverything() }
      return nil
    } catch {
      return ((error as? History.Failure)?.message ?? "\(error)", history.trace)
    }
  }
}
