/// Makes a failing history shorter: leaves out steps, writes excepted, as long as it fails alike.
struct Shrink {
  let model: Model
  let verdict: Verdict

  /// A step that names its file by what it is, not by where it stands.
  private struct Step {
    var action: Action
    var file: UInt64?
  }

  func run(_ history: [Action]) -> [Action] {
    var steps = named(history)
    var best = history
    var changed = true
    while changed {
      changed = false
      for index in steps.indices.reversed() where steps[index].action.kind != .write {
        var fewer = steps
        fewer.remove(at: index)
        guard let shorter = failing(fewer) else { continue }
        best = shorter
        steps = named(shorter)
        changed = true
        break
      }
    }
    return best
  }

  private func key(_ file: LogFile) -> UInt64 { file.order & ~(1 << 40) }

  private func named(_ history: [Action]) -> [Step] {
    var state = State()
    return history.map { action in
      let isFile = action.kind == .deliver || action.kind == .erase
      let step = Step(action: action, file: isFile ? key(state.files[Int(action.first)]) : nil)
      state = model.step(action, state)
      return step
    }
  }

  /// The history as actions if it is possible and fails, up to where it does.
  private func failing(_ steps: [Step]) -> [Action]? {
    var state = State()
    var result: [Action] = []
    for step in steps {
      guard let action = place(step, state) else { return nil }
      let isPossible = model.actions(state).contains { $0.packed == action.packed }
      if !isPossible { return nil }
      state = model.step(action, state)
      result.append(action)
      var search = Search(model)
      if search.judge(state).0 == verdict { return result }
    }
    return nil
  }

  private func place(_ step: Step, _ state: State) -> Action? {
    guard let file = step.file else { return step.action }
    for index in 0..<state.fileCount where key(state.files[index]) == file {
      return Action(step.action.kind, index, Int(step.action.second))
    }
    return nil
  }
}
