import CanonicalJSON
import Replication
import SegmentFormat

/// What one committed part of an import did.
package struct ImportedPart: Sendable, Equatable {
  /// A document that changed, and where.
  package struct Document: Sendable, Equatable {
    package let key: DocumentKey
    package let isDeleted: Bool
    package let paths: [Path]
  }

  /// What came from one device.
  package struct FromDevice: Sendable, Equatable {
    package let stream: StreamID
    package let name: String?
    package var transactions = 0
    package var operations = 0
    /// How many documents changed.
    package var documentCount = 0
    /// The first of them in key order, at most ``ImportedPart/maximumDocuments``.
    package var documents: [Document] = []
    /// The collections of all that changed.
    package var collections: Set<ByteString> = []

    /// Where in ``documents`` each stands.
    private var places: [DocumentKey: Int] = [:]
    /// The last of them in key order.
    private var last: DocumentKey?
    private var lastCollection: ByteString?

    init(stream: StreamID, name: String?) {
      self.stream = stream
      self.name = name
    }

    /// Whether one more would be listed.
    var hasRoom: Bool { documents.count < ImportedPart.maximumDocuments }

    mutating func count(transactions: Int, operations: Int) {
      self.transactions += transactions
      self.operations += operations
    }

    /// Which documents may be listed, now or by then.
    ///
    /// - parameter mayBeKnown: whether some may be listed already.
    func listing(mayBeKnown: Bool) -> Listing {
      if hasRoom { return .any }
      return mayBeKnown ? last.map { .upTo($0) } ?? .none : .none
    }

    /// Counts a document that is not listed.
    mutating func count(documentIn collection: ByteString) {
      documentCount += 1
      // Documents come in the order of their keys.
      guard collection != lastCollection else { return }
      lastCollection = collection
      collections.insert(collection)
    }

    /// Counts a document, and lists it if there is room.
    ///
    /// - parameter mayBeKnown: whether it may be listed already.
    mutating func note(
      _ key: DocumentKey, isDeleted: Bool, paths: @autoclosure () -> Set<Path>,
      mayBeKnown: Bool
    ) {
      if mayBeKnown, let index = places[key] {
        let all = paths().filter { !$0.isRoot }.union(documents[index].paths)
        documents[index] = Document(key: key, isDeleted: isDeleted, paths: all.sorted())
        return
      }
      count(documentIn: key.collection)
      guard hasRoom else { return }
      places[key] = documents.count
      if last.map({ $0 < key }) ?? true { last = key }
      documents.append(
        Document(key: key, isDeleted: isDeleted, paths: paths().filter { !$0.isRoot }.sorted()))
    }
  }

  /// A report names at most this many documents, so that its size does not grow with the import's.
  package static let maximumDocuments = 1000

  package var segments = 0
  package var devices: [FromDevice] = []
  /// Files whose content was applied.
  package var applied: [FileKey] = []
  /// Files whose content had been applied before.
  package var duplicates: [FileKey] = []
  /// Files that are damaged inside, or do not continue what was applied of their stream, and why.
  package var rejected: [FileKey: SegmentError] = [:]
  /// Files under another name than their content gives them.
  package var misnamed: Set<FileKey> = []
  /// Files that begin behind something that has not arrived, and how much was known of their stream
  /// when they were tried (``StoreDatabase/knowledge(of:)``).
  package var waiting: [FileKey: Int] = [:]
  /// Those of them that wait for what was dropped, as their own content was by all that is known:
  /// no more comes of them.
  package var superseded: Set<FileKey> = []
  /// Whether this device found itself cloned or restored, and goes on under a new stream.
  package var hasNewStream = false
  /// How many local transactions were made of removals that had waited for their closure.
  package var releasedRemovals = 0
  /// How many removals that had waited were given up, so that what they hid shows again.
  package var givenUpRemovals = 0

  package init() {}
}
