import BlobStorage
import CanonicalJSON
import DocumentStorage
import Replication
import SharedFolder
import SystemFiles

/// The references to blobs in this device's documents, and whether the blobs are here.
package struct AttachmentSurvey {
  /// A reference, and who refers to the blob.
  package struct Found: Sendable {
    package let document: DocumentKey
    /// The keys that lead to it.
    package let path: [ByteString]
    package let reference: BlobReference
    /// Whether it shows; else it lost a conflict.
    package let isShown: Bool
    /// The devices whose operations refer to the blob in that document.
    package let authors: Set<StreamID>
  }

  private let device: Device
  private let blobs: BlobFolder
  /// The streams that send nothing any more: this device's, and those of the retired.
  private let silent: Set<StreamID>
  private let own: Set<StreamID>

  package init(device: Device) throws {
    self.device = device
    blobs = BlobFolder(device.container)
    let streams = try device.database.streamSummaries()
    own = Set(streams.filter { $0.isOwn || $0.wasOwn }.map(\.stream))
    silent = Set(
      streams.filter { summary in
        // Of a former stream of its own another copy of this machine may send something.
        summary.isOwn || summary.wasOwn && summary.branches <= 1
          || summary.retiredAt != nil && summary.returnedAt == nil
      }.map(\.stream))
  }

  // MARK: Finding

  /// Calls `body` with each reference, by document: those that show, then those that lost.
  ///
  /// - parameters:
  ///   - collection: the only one to look through; nil for all.
  ///   - key: the only document to look at; nil for all.
  package func forEach(
    in collection: ByteString? = nil, at key: DocumentKey? = nil,
    _ body: (Found) throws -> Void
  ) throws {
    try device.database.readSnapshot { snapshot in
      try snapshot.forEachDocument(
        mentioning: BlobReference.mark, in: collection, at: key
      ) { try Self.references(in: $0).forEach(body) }
    }
  }

  private static func references(in document: MentioningDocument) throws -> [Found] {
    var seen: Set<BlobReference.Placed> = []
    var found: [Found] = []
    func add(_ json: JSON, at path: [ByteString], isShown: Bool) {
      for placed in BlobReference.all(in: json, at: path) where seen.insert(placed).inserted {
        found.append(
          Found(
            document: document.key, path: placed.path, reference: placed.reference,
            isShown: isShown, authors: document.authors(of: placed.reference.hash.text)))
      }
    }
    if let body = document.body {
      add(try JSON(parsing: body, limits: .held), at: [], isShown: true)
    }
    for conflict in document.conflicts() {
      for content in conflict.values.compactMap(\.content) {
        add(
          try JSON(parsing: content, limits: .held), at: conflict.path.keys, isShown: false)
      }
    }
    return found
  }

  /// The devices whose operations refer to a blob, in whatever document.
  package func authors(of hash: BlobHash) throws -> Set<StreamID> {
    try authors(of: [hash])[hash] ?? []
  }

  /// The devices whose operations refer to blobs, in whatever document; none of what nobody does.
  func authors(of hashes: Set<BlobHash>) throws -> [BlobHash: Set<StreamID>] {
    var authors: [BlobHash: Set<StreamID>] = [:]
    // One digest narrows the search more than the name that all references have in common.
    let text = hashes.count == 1 ? hashes.first?.text : nil
    _ = try device.database.forEachMention(of: text ?? BlobReference.mark) { mention in
      let mentioned = BlobHash.mentioned(in: mention.payload, among: hashes)
        .union(BlobHash.mentioned(in: mention.path.bytes, among: hashes))
      for hash in mentioned {
        authors[hash, default: []].insert(mention.author)
      }
    }
    return authors
  }

  // MARK: Judging

  /// What is here of a blob, by a look at sizes alone; this device's own copies first.
  package func copies(of reference: BlobReference) throws -> [BlobCopy] {
    try blobs.copies(of: reference, preferring: own)
  }

  /// Whether a blob is here, by a look at sizes alone, or once it was read.
  ///
  /// - parameters:
  ///   - verifies: whether to read it.
  ///   - authors: the devices that refer to it, in whatever document; asked where no copy is whole.
  package func availability(
    of reference: BlobReference, verifies: Bool = false,
    isStopping: @escaping () -> Bool = { false }, authors: () throws -> Set<StreamID>
  ) throws -> BlobAvailability {
    var copies = try copies(of: reference)
    if verifies {
      switch try BlobReader(blobs, isStopping: isStopping).verify(copies, of: reference) {
      case .read(let copy): return .here(copy)
      case .none(let judged): copies = judged
      }
    } else if let whole = copies.first(where: { $0.condition == .whole }) {
      return .here(whole)
    }
    return judge(copies, try authors())
  }

  /// What copies that are none of them whole mean.
  package func judge(_ copies: [BlobCopy], _ authors: Set<StreamID>) -> BlobAvailability {
    BlobAvailability(copies: copies, authors: authors, silent: silent)
  }
}
