import Foundation

/// The command line.
struct Command {
  private var lanes = Lane.all
  private var faults: Faults = []
  private var amendments: Amendments = []
  /// Of the random mode: how many histories, and where it begins.
  private var histories = 0
  private var seed: UInt64 = 1
  private var problem: String?

  init(_ arguments: [String]) {
    for item in Amendments.named { amendments.insert(item.amendment) }
    var rest = arguments[...]
    while let option = rest.popFirst() {
      if option == "--as-written" {
        amendments = []
        continue
      }
      if option == "--rest-only" || option == "--depth-first" {
        for index in lanes.indices {
          if option == "--rest-only" { lanes[index].isRestOnly = true }
          if option == "--depth-first" { lanes[index].isDepthFirst = true }
        }
        continue
      }
      guard let value = rest.popFirst() else {
        problem = "\(option) needs a value"
        return
      }
      take(option, value)
    }
  }

  private mutating func take(_ option: String, _ value: String) {
    switch option {
    case "--break":
      if let item = Faults.named.first(where: { $0.name == value }) {
        faults.insert(item.fault)
      } else {
        problem = "no fault \(value)"
      }
    case "--without":
      if let item = Amendments.named.first(where: { $0.name == value }) {
        amendments.remove(item.amendment)
      } else {
        problem = "no amendment \(value)"
      }
    case "--amend":
      if let item = Amendments.named.first(where: { $0.name == value }) {
        amendments.insert(item.amendment)
      }
    case "--lane": lanes = lanes.filter { $0.name == value }
    case "--writes": for index in lanes.indices { lanes[index].writes = Int(value) ?? 3 }
    case "--rollups": for index in lanes.indices { lanes[index].rollUps = Int(value) ?? 2 }
    case "--horizons": for index in lanes.indices { lanes[index].horizons = Int(value) ?? 0 }
    case "--limit": for index in lanes.indices { lanes[index].limit = Int(value) ?? 1_000_000 }
    case "--losses": for index in lanes.indices { lanes[index].losses = Int(value) ?? 0 }
    case "--heals": for index in lanes.indices { lanes[index].heals = Int(value) ?? 0 }
    case "--deep":
      histories = Int(value) ?? 0
      lanes = Lane.deep
    case "--seed": seed = UInt64(value) ?? 1
    case "--script": script(value)
    default: problem = "no option \(option)"
    }
  }

  private mutating func script(_ text: String) {
    let old = lanes.first ?? Lane(name: "script")
    lanes = [Lane.scripted("script", text, rollUps: old.rollUps, horizons: old.horizons)]
  }

  func run() -> Int32 {
    if let problem {
      print(problem)
      return 64
    }
    var failed = false
    for lane in lanes {
      let model = Model(lane: lane, faults: faults, amendments: amendments)
      let start = Date()
      let outcome = search(model)
      report(outcome, model, Date().timeIntervalSince(start))
      if outcome.verdict != .fine { failed = true }
      if failed && !faults.isEmpty { break }
    }
    print(failed ? "FAIL" : "PASS")
    return failed ? 1 : 0
  }

  private func search(_ model: Model) -> Outcome {
    if histories > 0 { return Deep(model: model, seed: seed).run(histories) }
    var search = Search(model)
    return model.lane.isDepthFirst ? search.runDeep() : search.run()
  }

  private func report(_ outcome: Outcome, _ model: Model, _ seconds: Double) {
    let lane = model.lane
    var line = outcome.verdict == .fine ? "ok   " : "fail "
    line += "\(lane.name) (\(lane.writes) writes, \(lane.rollUps) roll-ups"
    if lane.horizons > 0 { line += ", \(lane.horizons) horizons" }
    line += "): \(outcome.states) states, \(outcome.steps) steps, depth \(outcome.depth)"
    if outcome.cutOff > 0 { line += ", \(outcome.cutOff) cut off" }
    if outcome.verdict == .fine { line += outcome.isExhausted ? ", exhausted" : ", NOT exhausted" }
    line += String(format: ", %.1f s", seconds)
    print(line)
    fflush(nil)
    guard outcome.verdict != .fine else { return }
    print("  \(outcome.verdict.rawValue) (\(outcome.phase))")
    let history = Shrink(model: model, verdict: outcome.verdict).run(outcome.history)
    for text in Trace(model: model).lines(history) { print(text) }
  }
}
