import ArgumentParser
import Foundation
import Synchronization

extension Lane: ExpressibleByArgument {}

/// How large the worlds are.
struct WorldOptions: ParsableArguments, Sendable {
  @Option(help: "How many devices.") var devices = 5
  @Option(help: "How many steps.") var steps = 200
  @Option(
    help: ArgumentHelp(
      "What happens beside the rest; as the seed says, if not given.", valueName: "lane"))
  var lane: [Lane] = []
  @Option(
    help: ArgumentHelp("What happens beside those, or what the seed says.", valueName: "lane"))
  var also: [Lane] = []

  func history(seed: UInt64) -> History {
    let lanes = lane.isEmpty ? Lane.drawn(by: seed) : Set(lane)
    return History(seed: seed, devices: devices, steps: steps, lanes: lanes.union(also))
  }

  /// The options that say what happens.
  var laneOptions: String {
    lane.map { " --lane \($0)" }.joined() + also.map { " --also \($0)" }.joined()
  }
}

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Runs random histories, and prints the seeds of those that fail.")

  @OptionGroup var world: WorldOptions
  @Option(help: "The first seed; the others follow it.") var seed: UInt64 = 1
  @Option(help: "How many seeds.") var count = 100
  @Option(help: "End after so many seconds, too.") var seconds: Double?
  @Option(help: "How many at once; one for each processor, unless said otherwise.") var jobs: Int?
  @Flag(help: "Go on after a finding.") var all = false
  @Flag(help: "Print each seed before it runs, so that one that ends the program is known.")
  var announce = false
  @Flag(help: "Make the first failing history shorter, and print it.") var shrink = false

  func validate() throws {
    guard world.devices > 0, world.steps >= 0, count >= 0 else {
      throw ValidationError("there must be devices, steps and seeds")
    }
  }

  func run() throws {
    SameOrder.ensure()
    let begun = Date()
    let run = SeedRun(
      first: seed, count: count, world: world, goesOn: all, announces: announce,
      deadline: seconds.map { begun.addingTimeInterval($0) })
    let jobs = max(1, jobs ?? ProcessInfo.processInfo.activeProcessorCount)
    DispatchQueue.concurrentPerform(iterations: jobs) { _ in run.work() }
    let (done, findings, figures) = run.result
    for (seed, finding) in findings {
      print("seed \(seed): \(finding)")
    }
    let time = String(format: "%.1f", Date().timeIntervalSince(begun))
    print(
      "\(done) seeds from \(seed) with \(world.devices) devices and \(world.steps) steps in"
        + " \(time) s: \(findings.count) failed")
    print("  \(figures)")
    guard let (seed, _) = findings.first else { return }
    if shrink {
      var shrinker = Shrinker(world.history(seed: seed))
      let history = shrinker.shrink()
      print("# seed \(seed), shrunken: \(shrinker.finding)\n\(history)", terminator: "")
    } else {
      print(
        "feedsync-simulate replay --seed \(seed) --devices \(world.devices) --steps"
          + " \(world.steps)" + world.laneOptions)
    }
    throw ExitCode.failure
  }
}

/// The seeds of a run, which several threads take from.
final class SeedRun: Sendable {
  private struct State {
    var next: Int = 0
    var done = 0
    var findings: [(seed: UInt64, finding: String)] = []
    var figures = Figures()
  }

  private let first: UInt64
  private let count: Int
  private let world: WorldOptions
  private let goesOn: Bool
  private let announces: Bool
  private let deadline: Date?
  private let state = Mutex(State())

  init(
    first: UInt64, count: Int, world: WorldOptions, goesOn: Bool, announces: Bool, deadline: Date?
  ) {
    self.first = first
    self.count = count
    self.world = world
    self.goesOn = goesOn
    self.announces = announces
    self.deadline = deadline
  }

  func work() {
    while let seed = take() {
      if announces { FileHandle.standardError.write(Data("\(seed)\n".utf8)) }
      let (finding, figures) = world.history(seed: seed).outcome()
      state.withLock { state in
        state.done += 1
        state.figures += figures
        if let finding { state.findings.append((seed, finding)) }
      }
    }
  }

  private func take() -> UInt64? {
    if let deadline, Date() >= deadline { return nil }
    return state.withLock { state in
      guard state.next < count, goesOn || state.findings.isEmpty else { return nil }
      defer { state.next += 1 }
      return first &+ UInt64(state.next)
    }
  }

  var result: (done: Int, findings: [(seed: UInt64, finding: String)], figures: Figures) {
    state.withLock { ($0.done, $0.findings.sorted { $0.seed < $1.seed }, $0.figures) }
  }
}

extension History {
  /// What is wrong with this history; nil if nothing is.
  func finding() -> String? { outcome().finding }

  /// Runs it, and says what is wrong with it, and how much happened.
  func outcome() -> (finding: String?, figures: Figures) {
    do {
      let world = try World(self)
      try world.run()
      return (nil, try world.finalFigures())
    } catch {
      return ("\(error)", Figures())
    }
  }
}
