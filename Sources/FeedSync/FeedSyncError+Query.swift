import DocumentStorage

extension FeedSyncError {
  init(query error: QueryError, operation: String) {
    switch error {
    case .writes(let what):
      self.init(
        .usage, operation: operation,
        message: "a query only reads; \(what ?? "this statement") is refused",
        hint: "write with put, patch, delete or load; indexes are made by 'index create'")
    case .reads(let what):
      self.init(
        .usage, operation: operation, message: "'\(what)' is not open to queries",
        hint: "read the view documents(collection, id, body)")
    case .empty:
      self.init(
        .usage, operation: operation, message: "there is no statement",
        hint: "try 'SELECT collection, count(*) FROM documents GROUP BY collection'")
    case .several:
      self.init(
        .usage, operation: operation, message: "there is more than one statement",
        hint: "give one statement at a time")
    case .failed(let message):
      let isColumn = message.hasPrefix("no such column")
      self.init(
        .usage, operation: operation, message: "SQLite says: \(message)",
        hint: isColumn ? "a member is read as body ->> '$.member'" : nil)
    case .arguments(let expected, let given):
      self.init(
        .usage, operation: operation,
        message: "there \(CountText.of(expected, either: "is", or: "are"))"
          + " \(CountText.of(expected, "parameter")) ('?'), and arguments for \(given)")
    }
  }

  init(member problem: MemberPath.Problem, operation: String) {
    let message =
      switch problem {
      case .unreadable: "the path is neither a JSON Pointer, nor of the form $.a.b, nor a name"
      case .root: "the path names the whole document, not a member"
      case .element: "an element of an array cannot be indexed: an array is one value"
      case .key(let key):
        "SQLite cannot name the member '\(key)': it has a quotation mark, backslash or control"
          + " character"
      case .deep: "the path is deeper than a document may be"
      }
    self.init(
      .usage, operation: operation, message: message,
      hint: "a path is written /author/name, $.author.name or name")
  }
}
