import CanonicalJSON
import Replication

/// The devices of which an import takes transactions in, with what came of each.
struct ImportedDevices {
  /// In the order in which they were added.
  private(set) var all: [ImportedPart.FromDevice] = []
  private var places: [StreamID: Int] = [:]
  /// Where that stands which was asked for last: the next one is mostly the same.
  private var last = 0

  func has(_ stream: StreamID) -> Bool { places[stream] != nil }

  mutating func add(_ device: ImportedPart.FromDevice) {
    places[device.stream] = all.count
    all.append(device)
  }

  /// Counts what one of them wrote; nothing if it is none of them.
  mutating func count(transactions: Int, operations: Int, of stream: StreamID) {
    guard let place = place(of: stream) else { return }
    all[place].count(transactions: transactions, operations: operations)
  }

  /// Which documents of each may be listed.
  ///
  /// - parameter mayBeKnown: whether some may be listed already.
  func listings(mayBeKnown: Bool) -> [StreamID: Listing] {
    Dictionary(uniqueKeysWithValues: all.map { ($0.stream, $0.listing(mayBeKnown: mayBeKnown)) })
  }

  /// Counts a document that one of them changed, and that is not listed.
  mutating func count(documentIn collection: ByteString, by stream: StreamID) {
    guard let place = place(of: stream) else { return }
    all[place].count(documentIn: collection)
  }

  /// Notes a document that one of them changed, as ``ImportedPart/FromDevice`` does.
  mutating func note(
    _ key: DocumentKey, isDeleted: Bool, paths: @autoclosure () -> Set<Path>, mayBeKnown: Bool,
    by stream: StreamID
  ) {
    guard let place = place(of: stream) else { return }
    all[place].note(key, isDeleted: isDeleted, paths: paths(), mayBeKnown: mayBeKnown)
  }

  mutating func note(_ judged: [DocumentTable.Judged], by stream: StreamID) {
    guard let place = place(of: stream) else { return }
    all[place].note(judged)
  }

  private mutating func place(of stream: StreamID) -> Int? {
    if last < all.count, all[last].stream == stream { return last }
    guard let place = places[stream] else { return nil }
    last = place
    return place
  }
}
