import CanonicalJSON
import DocumentStorage

/// What a live query shows at one moment, and how it differs from what it showed before.
///
///     for try await result in store.observe(query) {
///       show(result.documents)
///     }
///
/// A list is brought up to date by ``removed``, ``changed`` and ``added`` alone: take away the
/// documents of the first two, then put in those of the last two, by ascending position.
public struct LiveResult: Sendable {
  /// A document that the query shows.
  public struct Document: Hashable, Sendable {
    /// The id in the collection.
    public let id: String
    /// The content, as canonical JSON.
    private let bytes: [UInt8]

    /// The content, an object.
    ///
    /// - throws: `JSONError` if the database is damaged.
    public func body() throws -> JSON { try JSON(parsing: bytes, limits: .held) }

    /// The content as a value of a type of the program's.
    ///
    /// - throws: `DecodingError` if the content does not have that form.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
      try DocumentDecoder().decode(type, from: try body())
    }

    init(_ match: CollectionQuery.Match) {
      id = match.id.description
      bytes = match.body
    }
  }

  /// A document with its place in the result.
  public struct Placed: Hashable, Sendable {
    /// Its place, from 0.
    public let position: Int
    /// The document.
    public let document: Document
  }

  /// What the query shows, in its order.
  public let documents: [Document]
  /// What was not shown before; everything in the first result.
  public let added: [Placed]
  /// What was shown with other content; its place may be another one, too.
  public let changed: [Placed]
  /// The ids of what is shown no more, in the order they had.
  public let removed: [String]
}

extension LiveResult {
  package init(_ matches: [CollectionQuery.Match], before: [CollectionQuery.Match]) {
    let old = Dictionary(uniqueKeysWithValues: before.map { ($0.id, $0.body) })
    let documents = matches.map { Document($0) }
    var (added, changed): ([Placed], [Placed]) = ([], [])
    for (position, match) in matches.enumerated() {
      let placed = Placed(position: position, document: documents[position])
      switch old[match.id] {
      case nil: added.append(placed)
      case match.body?: break
      default: changed.append(placed)
      }
    }
    let now = Set(matches.map(\.id))
    self.init(
      documents: documents, added: added, changed: changed,
      removed: before.filter { !now.contains($0.id) }.map(\.id.description))
  }
}
