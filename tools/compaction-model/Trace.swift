/// A history in words.
struct Trace {
  let model: Model

  func lines(_ history: [Action]) -> [String] {
    var state = State()
    var result: [String] = []
    for (number, action) in history.enumerated() {
      let after = model.step(action, state)
      var line = "  \(number + 1). " + text(action, state, after)
      if after.count > state.count && action.kind != .write {
        line += "; \(text(transaction: after.count - 1, after))"
      }
      result.append(line)
      state = after
    }
    let rest = model.settled(state)
    result.append("  now:     " + shown(state))
    state.trouble = .none
    result.append("  at rest: " + shown(rest))
    let end = model.compacted(rest)
    result.append("  to the end: " + shown(end))
    result.append("  without compaction: " + names(state.oracle(rest.sequences).visible, state))
    return result
  }

  private func text(_ action: Action, _ before: State, _ after: State) -> String {
    let first = Int(action.first)
    let second = Int(action.second)
    switch action.kind {
    case .write: return text(transaction: after.count - 1, after)
    case .deliver: return "\(Name.device(second)) gets \(text(before.files[first], before))"
    case .erase:
      return "the deletion of \(text(before.files[first], before)) gets to \(Name.device(second))"
    case .rollUp:
      guard let file = model.rollUp(first, second, RollUp(packed: action.third), before) else {
        return "no roll-up"
      }
      return "\(Name.device(first)) rolls up: \(text(file, before))"
    case .removeOld: return "\(Name.device(first)) removes old files"
    case .horizon: return "for \(Name.device(first)) the horizon of \(Name.device(second)) passes"
    case .lose: return "\(Name.device(first)) is lost"
    case .adopt: return "\(Name.device(first)) adopts the stream of \(Name.device(second))"
    case .heal: return "the files of \(Name.device(first)) vanish and are healed"
    }
  }

  private func text(_ file: LogFile, _ state: State) -> String {
    let range = state.range(Int(file.stream), Int(file.low), Int(file.high))
    let omitted = range & ~file.carried
    var result = "\(Name.device(Int(file.owner)))'s"
    if file.owner != file.stream { result += " adopted \(Name.device(Int(file.stream)))" }
    result += file.low == file.high ? "[\(file.low)]" : "[\(file.low)...\(file.high)]"
    if omitted == 0 { return result }
    result += " without \(names(omitted, state))"
    if omitted & file.byDelete != 0 {
      result += " (by delete: \(names(omitted & file.byDelete, state)))"
    }
    return result
  }

  private func text(transaction index: Int, _ state: State) -> String {
    let item = state.transactions[index]
    var result = "\(Name.device(Int(item.stream))) "
    result += item.isRevived ? "revives" : "writes"
    result += " \(Name.device(Int(item.stream)))\(item.sequence):"
    for slot in 0..<Bound.slots where item.kind(slot) != .none {
      result += " \(item.kind(slot)) \(Name.path(item.path(slot)))"
    }
    return result + " (had seen \(item.context.text))"
  }

  private func names(_ mask: OpMask, _ state: State) -> String {
    var parts: [String] = []
    mask.forEach { operation in
      let item = state.transactions[operation >> 2]
      let slot = operation & 3
      parts.append(
        "\(Name.device(Int(item.stream)))\(item.sequence).\(slot)"
          + "(\(item.kind(slot)) \(Name.path(item.path(slot))))")
    }
    return parts.isEmpty ? "nothing" : parts.joined(separator: " ")
  }

  private func shown(_ state: State) -> String {
    var parts: [String] = []
    for device in 0..<Bound.devices where !state.isLost(device) {
      let view = state.view(of: device)
      var part = "\(Name.device(device)): \(names(view.visible, state))"
      if view.undone != 0 { part += ", undone \(names(view.undone, state))" }
      if view.homeless != 0 { part += ", homeless \(names(view.homeless, state))" }
      parts.append(part)
    }
    return parts.joined(separator: " | ")
  }
}
