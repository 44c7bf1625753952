import CanonicalJSON
import DocumentStorage

/// Which documents of a collection to show, and in which order.
///
///     let unread = DocumentQuery("articles")
///       .filtered(by: "body ->> '$.feed' = ? AND NOT body ->> '$.read'", [.text(feed)])
///       .ordered(by: "/date", descending: true)
///       .limited(to: 50)
///
/// An index that is declared on a member serves it as it serves ``DocumentStore``'s SQL queries;
/// see <doc:Querying>. Mistakes are told when the query is used.
public struct DocumentQuery: Hashable, Sendable {
  /// A member that gives the order.
  public struct Key: Hashable, Sendable {
    /// The member, as a JSON Pointer (`/author/name`), SQLite's form or a name.
    public let path: String
    /// Whether the greatest value comes first.
    public let isDescending: Bool
  }

  /// The collection's name.
  public let collection: String
  /// The condition, an SQL expression of `id` and `body`; nil for all documents.
  public private(set) var condition: String?
  /// The values of the condition's `?`.
  public private(set) var arguments: [QueryValue] = []
  /// What gives the order; ids decide among equals.
  public private(set) var order: [Key] = []
  /// How many documents at most; nil for all.
  public private(set) var limit: Int?

  /// All documents of a collection, sorted by id.
  public init(_ collection: String) { self.collection = collection }

  /// The query with a condition, in place of the one it had.
  ///
  /// - parameters:
  ///   - condition: An SQL expression over `id` and `body` of one document. It must not read other
  ///     documents, and should not depend on the time or on chance: only writes make it be looked
  ///     at again.
  ///   - arguments: The values of its `?`, so that no program pastes values into text.
  public func filtered(by condition: String, _ arguments: [QueryValue] = []) -> Self {
    var query = self
    (query.condition, query.arguments) = (condition, arguments)
    return query
  }

  /// The query with one more member that gives the order, after those that it has.
  public func ordered(by path: String, descending: Bool = false) -> Self {
    var query = self
    query.order.append(Key(path: path, isDescending: descending))
    return query
  }

  /// The query for the first documents alone.
  public func limited(to limit: Int) -> Self {
    var query = self
    query.limit = limit
    return query
  }
}

extension DocumentQuery {
  func checked(operation: String) throws -> CollectionQuery {
    let name = try DocumentRules.collection(collection, operation: operation)
    guard limit.map({ $0 > 0 }) ?? true else {
      throw FeedSyncError(
        .usage, operation: operation, message: "a limit is at least 1",
        hint: "leave the limit out for all documents")
    }
    do {
      return CollectionQuery(
        collection: name, condition: try condition.map { try QueryCondition($0) },
        arguments: arguments,
        order: try order.map {
          CollectionQuery.Key(member: try MemberPath($0.path), isDescending: $0.isDescending)
        },
        limit: limit)
    } catch let problem as QueryCondition.Problem {
      throw FeedSyncError(condition: problem, operation: operation)
    } catch {
      throw FeedSyncError(error, operation: operation)
    }
  }
}

extension FeedSyncError {
  init(condition problem: QueryCondition.Problem, operation: String) {
    let message =
      switch problem {
      case .unbalanced: "a bracket or quotation mark of the condition has no other half"
      case .mark(let mark): "a condition has no '\(mark)'"
      case .otherDocuments: "a condition looks at one document: it cannot read 'documents'"
      case .numbered: "parameters of a condition have no numbers: write '?' alone"
      }
    self.init(
      .usage, operation: operation, message: message,
      hint: "write an SQL expression such as body ->> '$.title' = 'x'")
  }
}
