import DocumentStorage

extension FeedSyncError {
  init(conflict error: ConflictError, operation: String) {
    switch error {
    case .none(let key, let path):
      let place = path.map { $0.isRoot ? "as a whole" : "at \($0.pointer)" }
      self.init(
        .notFound, operation: operation,
        message: "the document '\(key.id)' in '\(key.collection)' has no conflict"
          + (place.map { " \($0)" } ?? ""),
        hint: "it may have been settled on another device; see 'feedsync conflicts'")
    case .several(_, let paths):
      let names = paths.map { $0.isRoot ? "'' (the document)" : $0.pointer }
      self.init(
        .usage, operation: operation,
        message: "the document has several conflicts: \(names.joined(separator: ", "))",
        hint: "say which one, or settle all of them by what shows with --shown")
    case .noSuchValue(let number, let count):
      self.init(
        .usage, operation: operation,
        message: "there is no value \(number); the conflict has \(count)",
        hint: "see 'feedsync conflicts show'")
    case .settlesMore(_, let path, let others):
      let names = others.map { $0.isRoot ? "'' (the document)" : $0.pointer }
      let above = others.last { path.isAtOrBelow($0) }.map {
        "settle \($0.isRoot ? "''" : $0.pointer), or "
      }
      self.init(
        .usage, operation: operation,
        message: "what is chosen at \(path.pointer) would settle \(names.joined(separator: ", "))"
          + " as well, since what they stand in has to be written as a whole",
        hint: "\(above ?? "")settle all conflicts of the document by what shows with --shown and no"
          + " path, or write what you want with 'feedsync put'")
    case .notAnObject:
      self.init(
        .badInput, operation: operation, message: "a document is a JSON object",
        hint: "this conflict is about the document as a whole")
    }
  }
}
