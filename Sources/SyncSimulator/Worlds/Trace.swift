/// What happens, in words; kept only where somebody wants to read it.
struct Trace {
  var isOn = false
  private(set) var lines: [String] = []

  mutating func note(_ line: @autoclosure () -> String) {
    if isOn { lines.append(line()) }
  }
}
