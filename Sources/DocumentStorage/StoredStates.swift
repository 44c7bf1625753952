import GRDB
import Replication

/// What is stored of some documents that operations come to, one after another.
///
/// Each is of one thread's, since to count references to what several look at takes long.
struct StoredStates: Sendable {
  /// The documents, by their places in the order of keys.
  private(set) var range: Range<Int>
  private(set) var bytes: [UInt8] = []
  /// Where in `bytes` the state of each ends, and whether it has one; none where none has.
  private var ends: [(end: Int, isStored: Bool)] = []

  /// So many are found out about at once: enough that to take them takes no time against that.
  static let most = 64

  /// Those of which nothing is stored.
  init(_ range: Range<Int>) { self.range = range }

  /// Where a document's state stands; nil if there is none.
  func state(at place: Int) -> Range<Int>? {
    guard !ends.isEmpty else { return nil }
    let index = place - range.lowerBound
    guard ends[index].isStored else { return nil }
    return (index == 0 ? 0 : ends[index - 1].end)..<ends[index].end
  }

  /// - parameter read: Appends the state of the document behind those that are here, and returns
  ///   whether there is one.
  fileprivate mutating func append(_ read: (inout [UInt8]) throws -> Bool) rethrows {
    let isStored = try read(&bytes)
    ends.append((bytes.count, isStored))
    range = range.lowerBound..<range.upperBound + 1
  }
}

extension DocumentTable {
  /// So many documents are read and written at once.
  private static var chunk: Int { 1024 }
  /// Fewer where they are large: three times as much is in memory at once.
  private static var chunkBytes: Int { 4 << 20 }

  /// What is stored of the next documents that operations come to; none if there are no more.
  ///
  /// - parameter reading: That of ``StatesInOrder``; nil if nothing is stored.
  func storedStates(
    of documents: CollectedDocuments, from start: Int, by reading: Statement?
  ) throws -> [StoredStates] {
    let end = min(start + Self.chunk, documents.count)
    guard let reading else {
      return stride(from: start, to: end, by: StoredStates.most).map {
        StoredStates($0..<min($0 + StoredStates.most, end))
      }
    }
    let keys = documents.keys
    var rows = StatesInOrder(reading)
    var pieces: [StoredStates] = []
    var bytes = 0
    var collection: (key: UInt32, number: Int64?)?
    try keys.ids.withUnsafeBytes { ids in
      for place in start..<end where bytes < Self.chunkBytes {
        let key = keys.places[documents.number(at: place)]
        if collection?.key != key.collection {
          let name = keys.collections[Int(key.collection)]
          collection = (key.collection, collections.number(of: name))
        }
        if (place - start) % StoredStates.most == 0 { pieces.append(StoredStates(place..<place)) }
        let last = pieces.count - 1
        let count = pieces[last].bytes.count
        try pieces[last].append { state in
          guard let number = collection?.number else { return false }
          let id = UnsafeRawBufferPointer(rebasing: ids[key.id])
          return try rows.appendState(of: id, in: number, to: &state)
        }
        bytes += pieces[last].bytes.count - count
      }
    }
    return pieces
  }
}
