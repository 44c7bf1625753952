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
      var same = 0
      while same < most, bytes[same] == id.bytes[same] { same += 1 }
      count = same
    }
  }

  /// The places in `keys`, in the order of what stands there.
  package static func indices(of keys: [DocumentKey]) -> [Int] {
    var collections: [ByteString: Int] = [:]
    var beginnings: [Beginning] = []
    var ranks: [Rank] = []
    ranks.reserveCapacity(keys.count)
    var last = 0
    // By place: an iterator would copy each.
    for index in keys.indices {
      // Those that follow one another are mostly of one collection.
      if index == 0 || keys[index].collection != keys[index - 1].collection {
        last = collections[keys[index].collection, default: beginnings.count]
        collections[keys[index].collection] = last
      }
      if last == beginnings.count { beginnings.append(Beginning(of: keys[index].id)) }
      beginnings[last].narrow(to: keys[index].id)
      ranks.append(Rank(collection: last, bytes: 0, index: index))
    }
    var order = beginnings.map { _ in 0 }
    for (place, collection) in collections.sorted(by: { $0.key < $1.key }).enumerated() {
      order[collection.value] = place
    }
    for index in ranks.indices {
      let collection = ranks[index].collection
      ranks[index] = Rank(
        collection: order[collection],
        bytes: eightBytes(of: keys[index].id, after: beginnings[collection].count), index: index)
    }
    // By address: else each comparison would count references to the keys.
    keys.withUnsafeBufferPointer { keys in ranks.sort { precedes($0, $1, in: keys) } }
    return ranks.map(\.index)
  }

  private static func precedes(
    _ lhs: Rank, _ rhs: Rank, in keys: UnsafeBufferPointer<DocumentKey>
  ) -> Bool {
    if lhs.collection != rhs.collection { return lhs.collection < rhs.collection }
    if lhs.bytes != rhs.bytes { return lhs.bytes < rhs.bytes }
    return keys[lhs.index].id < keys[rhs.index].id
  }

  /// As a number that sorts like the bytes; those that are missing come before all others, and are
  /// told apart from zeros by nothing but the ids themselves.
  private static func eightBytes(of id: ByteString, after start: Int) -> UInt64 {
    var number: UInt64 = 0
    for index in start..<start + 8 {
      number = number << 8 | (index < id.bytes.count ? UInt64(id.bytes[index]) : 0)
    }
    return number
  }
}
