/// The random mode: histories with more writes, roll-ups and absences than can be searched.
struct Deep {
  let model: Model
  let seed: UInt64

  func run(_ histories: Int) -> Outcome {
    var outcome = Outcome()
    for number in 0..<histories {
      var random = SplitMix(state: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
      walk(&random, &outcome)
      if outcome.verdict != .fine { break }
    }
    return outcome
  }

  private func walk(_ random: inout SplitMix, _ outcome: inout Outcome) {
    var state = State()
    var search = Search(model)
    outcome.history = []
    outcome.states += 1
    for _ in 0..<70 {
      guard let action = choose(state, &random) else { return }
      state = model.step(action, state)
      outcome.history.append(action)
      outcome.steps += 1
      outcome.depth = max(outcome.depth, outcome.history.count)
      let (verdict, phase) = search.judge(state)
      if verdict == .overflow {
        outcome.cutOff += 1
        break
      }
      if verdict != .fine {
        outcome.verdict = verdict
        outcome.phase = phase
        return
      }
    }
  }

  /// First a kind of step, then one of that kind: else deliveries would crowd out the rest.
  private func choose(_ state: State, _ random: inout SplitMix) -> Action? {
    let actions = model.actions(state)
    if actions.isEmpty { return nil }
    let weights: [ActionKind: Int] = [
      .write: 6, .deliver: 12, .erase: 3, .rollUp: 5, .removeOld: 3, .horizon: 1, .lose: 1,
      .adopt: 3, .heal: 1,
    ]
    let kinds = Set(actions.map(\.kind.rawValue)).sorted().compactMap { ActionKind(rawValue: $0) }
    var draw = random.below(kinds.reduce(0) { $0 + (weights[$1] ?? 1) })
    for kind in kinds {
      draw -= weights[kind] ?? 1
      if draw >= 0 { continue }
      let those = actions.filter { $0.kind == kind }
      return those[random.below(those.count)]
    }
    return actions[0]
  }
}

struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &+ 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }
}
