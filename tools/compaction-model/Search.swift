/// A set of 64-bit fingerprints by open addressing; deterministic, unlike Swift's own.
struct Visited {
  private var slots: [UInt64]
  private(set) var count = 0

  init() { slots = [UInt64](repeating: 0, count: 1 << 16) }

  mutating func insert(_ value: UInt64) -> Bool {
    if count * 2 > slots.count { grow() }
    return place(value == 0 ? 1 : value)
  }

  private mutating func place(_ value: UInt64) -> Bool {
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: value) & mask
    while slots[index] != 0 {
      if slots[index] == value { return false }
      index = (index + 1) & mask
    }
    slots[index] = value
    count += 1
    return true
  }

  private mutating func grow() {
    let old = slots
    slots = [UInt64](repeating: 0, count: old.count * 2)
    count = 0
    for value in old where value != 0 { _ = place(value) }
  }
}

struct Outcome {
  var verdict = Verdict.fine
  var history: [Action] = []
  var states = 0
  var steps = 0
  var depth = 0
  var cutOff = 0
  var isExhausted = false
  /// Whether it failed only after everybody compacted to the end.
  var phase = ""
}

/// Breadth first, so that the first failing history is a shortest one.
struct Search {
  let model: Model
  private var visited = Visited()
  private var rested = Visited()
  private var compactedStates = Visited()
  private var parents: [UInt32] = []
  private var taken: [UInt32] = []
  private var outcome = Outcome()

  init(_ model: Model) { self.model = model }

  mutating func run() -> Outcome {
    var frontier: [(state: State, id: Int)] = [(State(), 0)]
    parents.append(0)
    taken.append(0)
    _ = visited.insert(State().fingerprint)
    while !frontier.isEmpty {
      var next: [(state: State, id: Int)] = []
      for (state, id) in frontier {
        if expand(state, id, &next) { return finished() }
        if visited.count > model.lane.limit { return finished() }
      }
      frontier = next
      outcome.depth += 1
    }
    outcome.isExhausted = true
    return finished()
  }

  private func finished() -> Outcome {
    var result = outcome
    result.states = visited.count
    return result
  }

  /// True when a failure was found.
  private mutating func expand(
    _ state: State, _ id: Int, _ next: inout [(state: State, id: Int)]
  ) -> Bool {
    for action in model.actions(state) {
      outcome.steps += 1
      let after = model.step(action, state)
      guard visited.insert(after.fingerprint) else { continue }
      parents.append(UInt32(id))
      taken.append(action.packed)
      let (verdict, phase) = judge(after)
      if verdict == .overflow {
        outcome.cutOff += 1
        continue
      }
      if verdict != .fine {
        outcome.verdict = verdict
        outcome.phase = phase
        outcome.history = history(parents.count - 1)
        return true
      }
      next.append((after, parents.count - 1))
    }
    return false
  }

  mutating func judge(_ state: State) -> (Verdict, String) {
    let step = model.checkStep(state)
    if step != .fine { return (step, "at once") }
    let settled = model.settled(state)
    guard rested.insert(settled.fingerprint) else { return (.fine, "") }
    let rest = model.checkRest(settled)
    if rest != .fine { return (rest, "at rest") }
    let end = model.compacted(settled)
    guard compactedStates.insert(end.fingerprint) else { return (.fine, "") }
    var last = model.checkRest(end)
    if last == .fine { last = model.checkEnd(end) }
    return (last == .overflow ? .fine : last, "at rest, after everybody has compacted to the end")
  }

  /// Depth first: needs no room for a frontier, so it goes much further, but what it finds is not
  /// the shortest history.
  mutating func runDeep() -> Outcome {
    _ = visited.insert(State().fingerprint)
    var path: [Action] = []
    outcome.isExhausted = !descend(State(), &path) && visited.count <= model.lane.limit
    return finished()
  }

  private mutating func descend(_ state: State, _ path: inout [Action]) -> Bool {
    outcome.depth = max(outcome.depth, path.count)
    for action in model.actions(state) {
      if visited.count > model.lane.limit { return false }
      outcome.steps += 1
      let after = model.step(action, state)
      guard visited.insert(after.fingerprint) else { continue }
      path.append(action)
      let (verdict, phase) = judge(after)
      if verdict == .overflow {
        outcome.cutOff += 1
      } else if verdict != .fine {
        outcome.verdict = verdict
        outcome.phase = phase
        outcome.history = path
        return true
      } else if descend(after, &path) {
        return true
      }
      path.removeLast()
    }
    return false
  }

  private func history(_ id: Int) -> [Action] {
    var result: [Action] = []
    var current = id
    while current != 0 {
      result.append(Action(packed: taken[current]))
      current = Int(parents[current])
    }
    return result.reversed()
  }
}
