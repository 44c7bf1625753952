import CanonicalJSON

/// How a query finds its documents, out of SQLite's plan.
package struct QueryPlan: Equatable, Sendable {
  /// A way that documents are found; a statement with joins or parts has several.
  package enum Step: Equatable, Sendable {
    /// One document by its id.
    case document
    /// The documents in a range of ids.
    case ids
    /// By a declared index.
    case index(MemberPath, Use)
    /// Every document, of one collection or of all.
    case scan
  }

  /// What an index is used for.
  package enum Use: String, Sendable {
    /// The documents that have a value, or one of several.
    case value
    /// The documents whose value lies in a range.
    case range
    /// All documents, in the order of their values.
    case order
  }

  /// The answer in a word.
  package enum Verdict: String, Sendable {
    /// It reads every document of a collection, somewhere.
    case scan
    /// It uses a declared index and scans nowhere.
    case index
    /// It finds documents by their ids alone.
    case key
    /// It reads no documents.
    case nothing
  }

  package let steps: [Step]
  /// Whether a step goes through all collections, since none is named.
  package let readsEveryCollection: Bool
  /// What rows are gathered and sorted for: `ORDER BY`, `GROUP BY`, `DISTINCT`.
  package let sorts: [String]
  /// SQLite's own words.
  package let details: [String]

  package var verdict: Verdict {
    if steps.contains(.scan) { return .scan }
    if steps.contains(where: { if case .index = $0 { true } else { false } }) { return .index }
    return steps.isEmpty ? .nothing : .key
  }

  /// Reads SQLite's plan; `indexes` tells whose an index is.
  package init(details: [String], indexes: [String: MemberPath]) {
    self.details = details
    var steps: [Step] = []
    var sorts: [String] = []
    var readsEveryCollection = false
    for detail in details {
      let words = detail.split(separator: " ")
      if detail.hasPrefix("USE TEMP B-TREE FOR ") {
        sorts.append(String(detail.dropFirst("USE TEMP B-TREE FOR ".count)))
      } else if words.count > 1, words[1] == DocumentsView.collectionsName {
        if words[0] == "SCAN" { readsEveryCollection = true }
      } else if words.count > 1, words[1] == DocumentsView.documentsName {
        steps.append(Self.step(detail, words: words, indexes: indexes))
      }
    }
    self.steps = steps
    self.sorts = sorts
    self.readsEveryCollection = readsEveryCollection
  }

  private static func step(
    _ detail: String, words: [Substring], indexes: [String: MemberPath]
  ) -> Step {
    guard words[0] == "SEARCH" else { return .scan }
    if let place = words.firstIndex(of: "INDEX"), place + 1 < words.count,
      let member = indexes[String(words[place + 1])]
    {
      if detail.contains("<expr>=") { return .index(member, .value) }
      return .index(member, detail.contains("<expr>") ? .range : .order)
    }
    if detail.contains("id=?") { return .document }
    return detail.contains("id>") || detail.contains("id<") ? .ids : .scan
  }
}

/// A query's plan, and the index that would spare it a scan.
package struct QueryExplanation: Equatable, Sendable {
  package let plan: QueryPlan
  package let suggestion: MemberPath?
  /// The collection that the index is declared of; nil where the statement names none, or several.
  package let collection: ByteString?
}
