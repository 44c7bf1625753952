import CanonicalJSON
import Replication

/// Which conflicts a follower has been told of, so that it is told of others only.
struct KnownConflicts: Sendable {
  // By bytes: of two ids, Swift takes some for equal that are not.
  private var conflicts: [DocumentKey: Set<Conflict>] = [:]

  /// - parameter documents: All that have conflicts.
  init(_ documents: [ConflictedDocument]) {
    note(documents)
  }

  /// Takes over what a look at the documents that a commit may have changed has found.
  ///
  /// - parameter found: Those of them that have conflicts, in the order in which these are told.
  /// - returns: The conflicts that were not known.
  mutating func update(
    _ found: [ConflictedDocument], of extent: StoreChange.Extent
  ) -> [Conflict] {
    let new = found.flatMap { document in
      let known = conflicts[document.key] ?? []
      return document.conflicts.filter { !known.contains($0.unnamed) }
    }
    switch extent {
    case .documents(let changes): for change in changes { conflicts[change.key] = nil }
    case .collections(let names):
      let names = Set(names.map { ByteString($0) })
      conflicts = conflicts.filter { !names.contains($0.key.collection) }
    case .everything: conflicts = [:]
    }
    note(found)
    return new
  }

  private mutating func note(_ documents: [ConflictedDocument]) {
    for document in documents {
      conflicts[document.key] = Set(document.conflicts.map(\.unnamed))
    }
  }
}

extension DocumentStore {
  /// The conflicts of the documents that a commit may have changed, as they are now.
  func conflictedDocuments(of extent: StoreChange.Extent) throws -> [ConflictedDocument] {
    switch extent {
    case .documents(let changes): try conflictedDocuments(among: changes.map(\.key))
    case .collections(let names):
      try conflictedDocuments(in: Set(names.map { ByteString($0) }))
    case .everything: try conflictedDocuments(in: nil)
    }
  }

  private func conflictedDocuments(among keys: [DocumentKey]) throws -> [ConflictedDocument] {
    try transaction("list conflicts") {
      try database.readSnapshot { snapshot in
        let names = snapshot.deviceNames
        return try keys.compactMap { key in
          let conflicts = try snapshot.conflicts(of: key)
          return conflicts.isEmpty ? nil : try ConflictedDocument(key, conflicts, names: names)
        }
      }
    }
  }
}

extension ConflictedDocument {
  fileprivate var key: DocumentKey {
    DocumentKey(collection: ByteString(collection), id: ByteString(id))
  }
}

extension DocumentChange {
  fileprivate var key: DocumentKey {
    DocumentKey(collection: ByteString(collection), id: ByteString(id))
  }
}

extension Conflict {
  /// The same whatever people call the devices.
  fileprivate var unnamed: Conflict {
    Conflict(
      collection: collection, id: id, path: path, kind: kind,
      values: values.map { value in
        Value(content: value.content, device: nil, time: nil, transaction: value.transaction)
      }, beside: [])
  }
}
