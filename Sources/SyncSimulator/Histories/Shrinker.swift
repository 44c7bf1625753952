/// Makes a failing history shorter, as long as it fails.
///
/// It leaves out whole devices' steps first, then runs of steps, ever shorter ones. A history that
/// fails in another way counts as failing: the shortest is the easiest to understand.
struct Shrinker {
  private(set) var history: History
  private(set) var finding: String
  /// How many histories may be tried.
  private var budget: Int

  init(_ history: History, budget: Int = 4000) {
    self.history = history
    self.budget = budget
    finding = history.finding() ?? "it does not fail"
  }

  mutating func shrink() -> History {
    guard history.finding() != nil else { return history }
    var count = Int.max
    while history.steps.count < count, budget > 0 {
      count = history.steps.count
      for device in 0..<history.devices { _ = tryKeeping { $0.device != device } }
      for kind in Step.Kind.allCases { _ = tryKeeping { $0.kind != kind } }
      leaveOutRuns()
    }
    return history
  }

  private mutating func leaveOutRuns() {
    var length = max(1, history.steps.count / 2)
    while length > 0 {
      var start = 0
      while start < history.steps.count {
        var shorter = history
        let end = min(start + length, shorter.steps.count)
        shorter.steps.removeSubrange(start..<end)
        if !takes(shorter) { start = end }
      }
      length /= 2
    }
  }

  private mutating func tryKeeping(_ isKept: (Step) -> Bool) -> Bool {
    var shorter = history
    shorter.steps = history.steps.filter(isKept)
    return shorter.steps.count < history.steps.count && takes(shorter)
  }

  /// Takes over a history if it fails.
  private mutating func takes(_ shorter: History) -> Bool {
    guard budget > 0 else { return false }
    budget -= 1
    guard let finding = shorter.finding() else { return false }
    history = shorter
    self.finding = finding
    return true
  }
}
