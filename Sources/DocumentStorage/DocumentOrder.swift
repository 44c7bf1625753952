import CanonicalJSON
import Replication

/// Documents in the order of their keys.
///
/// Most ids are told apart by eight bytes behind what all of their collection begin with: as
/// numbers, which are compared without a look at the keys. An import sorts each document's several
/// times.
package enum DocumentOrder {
  private struct Rank {
    let collection: Int
    let bytes: UInt64
    let index: Int
  }

  /// What ids begin with.
  private struct Beginning {
    let bytes: [UInt8]
    var count: Int

    init(of id: ByteString) { (bytes, count) = (id.bytes, id.bytes.count) }

    mutating func narrow(to id: ByteString) {
      let most = min(count, id.bytes.count)
      count = (0..<most).first { bytes[$0] != id.bytes[$0] } ?? most
    }
  }

  /// The places in `keys`, in the order of what stands there.
  package static func indices(of keys: [DocumentKey]) -> [Int] {
    var beginnings: [ByteString: Beginning] = [:]
    for key in keys {
      beginnings[key.collection, default: Beginning(of: key.id)].narrow(to: key.id)
    }
    var places: [ByteString: (collection: Int, shared: Int)] = [:]
    for (place, (collection, beginning)) in beginnings.sorted(by: { $0.key < $1.key }).enumerated()
    {
      places[collection] = (place, beginning.count)
    }
    let ranks = keys.enumerated().map { index, key in
      let place = places[key.collection, default: (0, 0)]
      return Rank(
        collection: place.collection, bytes: eightBytes(of: key.id, after: place.shared),
        index: index)
    }
    return ranks.sorted { precedes($0, $1, in: keys) }.map(\.index)
  }

  private static func precedes(_ lhs: Rank, _ rhs: Rank, in keys: [DocumentKey]) -> Bool {
    if lhs.collection != rhs.collection { return lhs.collection < rhs.collection }
    if lhs.bytes != rhs.bytes { return lhs.bytes < rhs.bytes }
    return keys[lhs.index].id < keys[rhs.index].id
  }

  /// As a number that sorts like the bytes; those that are missing come before all others, and are
  /// told apart from zeros by nothing but the ids themselves.
  private static func eightBytes(of id: ByteString, after start: Int) -> UInt64 {
    (start..<start + 8).reduce(0) { number, index in
      number << 8 | (index < id.bytes.count ? UInt64(id.bytes[index]) : 0)
    }
  }
}
