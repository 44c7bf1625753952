/// What is wrong: the reason why a history is a failing one.
struct Finding: Error, CustomStringConvertible, Sendable {
  let description: String

  init(_ description: String) { self.description = description }
}
