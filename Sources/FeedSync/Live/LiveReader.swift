import CanonicalJSON
import DocumentStorage

/// Keeps a query's window at what the database has, reading as little as it can.
struct LiveReader: Sendable {
  /// More changed documents than this are not looked up one by one.
  private static let mostLookups = 2000
  /// How often commits may come in between before everything is read at once.
  private static let mostAttempts = 4

  private let query: CollectionQuery
  /// The last commit that the window has.
  private var position: ChangePosition
  private(set) var window: QueryWindow

  /// Reads the present result.
  init(_ query: CollectionQuery, _ database: StoreDatabase) throws {
    self.query = query
    (position, window) = try Self.readAll(query, database)
  }

  /// Takes in what was committed since; nil if what is shown stays as it is.
  mutating func update(_ database: StoreDatabase) throws -> LiveResult? {
    let before = window.matches
    try takeIn(database)
    let after = window.matches
    return after == before ? nil : LiveResult(after, before: before)
  }

  private mutating func takeIn(_ database: StoreDatabase) throws {
    var changes = PendingChanges()
    for _ in 0..<Self.mostAttempts {
      try gather(&changes, database)
      guard !changes.isEmpty else { return }
      guard let ids = changes.ids, ids.count <= Self.mostLookups else { break }
      let (position, present) = try database.readSnapshot { snapshot in
        (try snapshot.lastPoint(), try snapshot.matches(query, among: ids.sorted()))
      }
      // Else the documents are those of a later commit, which may have changed others, too.
      guard position == self.position else { continue }
      switch window.updated(ids, present: present) {
      case .same: return
      case .changed(let window):
        self.window = window
        return
      case .unknown: break
      }
      break
    }
    (position, window) = try Self.readAll(query, database)
  }

  /// Adds the commits after the position, and moves it to the last of them.
  private mutating func gather(
    _ changes: inout PendingChanges, _ database: StoreDatabase
  ) throws {
    while true {
      switch try database.changes(after: position.rawValue, digest: position.digest) {
      // It is read at once then, with its position.
      case .missed: return changes.addEverything()
      case .commits(let commits):
        guard let last = commits.last else { return }
        for origin in commits.flatMap(\.origins) { changes.add(origin, query.collection) }
        position = ChangePosition(last.position, digest: last.digest)
      }
    }
  }

  private static func readAll(
    _ query: CollectionQuery, _ database: StoreDatabase
  ) throws -> (ChangePosition, QueryWindow) {
    let directions = query.order.map(\.isDescending)
    return try database.readSnapshot { snapshot in
      let position = try snapshot.lastPoint()
      let matches = try snapshot.matches(query)
      return (position, QueryWindow(matches, directions: directions, limit: query.limit))
    }
  }
}

/// The documents of a collection that some commits have changed.
private struct PendingChanges {
  /// Nil if not all are known.
  private(set) var ids: Set<ByteString>? = []

  var isEmpty: Bool { ids?.isEmpty ?? false }

  mutating func addEverything() { ids = nil }

  mutating func add(_ origin: CommittedChange.Origin, _ collection: ByteString) {
    guard origin.collections.contains(collection) else { return }
    guard origin.isComplete else { return addEverything() }
    ids?.formUnion(origin.documents.lazy.filter { $0.key.collection == collection }.map(\.key.id))
  }
}
