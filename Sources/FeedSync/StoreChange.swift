import DocumentStorage
import Replication

/// What one commit changed in the store: whole transactions, never a part of one.
///
/// When it is delivered, everything that it tells of can be read. By then later commits may be
/// there, too; each is delivered in its turn.
public struct StoreChange: Sendable {
  /// How much is known of what changed.
  public enum Extent: Sendable, Equatable {
    /// Exactly these documents.
    case documents([DocumentChange])
    /// Too many documents to name, in these collections.
    case collections([String])
    /// The follower has missed more than is kept, or what it knows was undone by a restored
    /// backup: anything may have changed.
    case everything
  }

  /// Where a change came from.
  public enum Origin: Hashable, Sendable {
    /// A transaction of this device, by this process or another; nil for a deletion that is
    /// published later.
    case local(TransactionID?)
    /// Transactions of other devices, imported together.
    case imported([DeviceDescription])
    /// Not known, since changes were missed.
    case unknown
  }

  /// Where it came from.
  public let origin: Origin
  /// What changed.
  public let extent: Extent
  /// Names the point after this change, to go on from there later.
  public let position: ChangePosition

  /// Whether something in a collection may have changed.
  ///
  ///     for try await change in store.changes where change.affects("notes") { show() }
  public func affects(_ collection: String) -> Bool {
    switch extent {
    case .documents(let documents): documents.contains { $0.collection == collection }
    case .collections(let names): names.contains(collection)
    case .everything: true
    }
  }
}

/// A document that changed, and where.
public struct DocumentChange: Hashable, Sendable {
  /// The collection's name.
  public let collection: String
  /// The document's id.
  public let id: String
  /// Whether the document is absent after it.
  public let isDeleted: Bool
  /// The members that were written, as JSON Pointers such as `/title`; none for a deletion.
  public let fields: [String]

  /// A change of these parts.
  public init(collection: String, id: String, isDeleted: Bool, fields: [String]) {
    self.collection = collection
    self.id = id
    self.isDeleted = isDeleted
    self.fields = fields
  }
}

/// A point in the order of a store's commits, on this device alone.
///
/// It also knows what the commit before it was, so that it is told from the point of the same
/// number in another course of events: after a restored backup, of a store that was made anew.
public struct ChangePosition: Hashable, Codable, Sendable {
  /// Counts the commits that changed documents.
  public let rawValue: Int64
  /// What tells that commit from others; nil before the first, and in what older versions kept.
  let digest: UInt64?

  init(_ rawValue: Int64, digest: UInt64?) {
    self.rawValue = rawValue
    self.digest = digest
  }
}

extension StoreDatabase {
  /// The point after a commit.
  func point(after commit: Int64) throws -> ChangePosition {
    // Its row never changes, and if it is gone by now, the number alone counts.
    ChangePosition(commit, digest: try changeDigest(at: commit))
  }

  /// The point after the last commit.
  func lastPoint() throws -> ChangePosition { try point(after: changePosition()) }
}

extension StoreSnapshot {
  /// The point after the last commit that this state has.
  func lastPoint() throws -> ChangePosition {
    let commit = try changePosition()
    return ChangePosition(commit, digest: try changeDigest(at: commit))
  }
}

extension StoreChange {
  init(
    _ commit: CommittedChange, isOwn: (CommittedChange.Origin) -> Bool,
    name: (StreamID) -> String?
  ) {
    position = ChangePosition(commit.position, digest: commit.digest)
    let local = commit.origins.first(where: isOwn)
    if commit.origins.count == 1, let local {
      let id = local.sequence.map {
        TransactionID(stream: local.stream.description, sequence: $0)
      }
      origin = .local(id)
    } else {
      origin = .imported(
        commit.origins.map {
          DeviceDescription(id: $0.stream.description, name: name($0.stream))
        })
    }
    extent = Extent(commit.origins)
  }

  init(missedUpTo position: ChangePosition) {
    self.init(origin: .unknown, extent: .everything, position: position)
  }
}

extension StoreChange.Extent {
  fileprivate init(_ origins: [CommittedChange.Origin]) {
    guard origins.allSatisfy(\.isComplete) else {
      self = .collections(Set(origins.flatMap(\.collections)).sorted().map(\.description))
      return
    }
    // Two devices may have changed the same document in one import.
    var changes: [DocumentKey: (isDeleted: Bool, paths: Set<Path>)] = [:]
    for document in origins.flatMap(\.documents) {
      changes[document.key, default: (document.isDeleted, [])].paths.formUnion(document.paths)
    }
    self = .documents(
      changes.sorted { $0.key < $1.key }.map { key, change in
        DocumentChange(
          collection: key.collection.description, id: key.id.description,
          isDeleted: change.isDeleted, fields: change.paths.sorted().map(\.pointer))
      })
  }
}
