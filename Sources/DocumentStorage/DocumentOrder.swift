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

  /// What the ids of a collection begin with.
  private struct Beginning {
    /// The number of one that begins so; nil if there is none.
    var key: Int?
    var count = 0
  }

  /// The numbers of `keys`, in the order of what they stand for.
  package static func indices(of keys: DocumentKeys) -> [Int] {
    let beginnings = beginnings(of: keys)
    let sorted = keys.collections.indices.sorted { keys.collections[$0] < keys.collections[$1] }
    var order = Array(repeating: 0, count: sorted.count)
    for (place, collection) in sorted.enumerated() { order[collection] = place }
    let (places, ids) = (keys.places, keys.ids)
    var ranks: [Rank] = []
    ranks.reserveCapacity(places.count)
    for index in places.indices {
      let collection = Int(places[index].collection)
      ranks.append(
        Rank(
          collection: order[collection],
          bytes: eightBytes(of: places[index].id, after: beginnings[collection].count, in: ids),
          index: index))
    }
    // By address: else each comparison would count references to the ids.
    ids.withUnsafeBytes { ids in
      places.withUnsafeBufferPointer { places in
        ranks.sort { precedes($0, $1, places, ids) }
      }
    }
    return ranks.map(\.index)
  }

  /// Of each collection.
  private static func beginnings(of keys: DocumentKeys) -> [Beginning] {
    var beginnings = Array(repeating: Beginning(), count: keys.collections.count)
    let (places, ids) = (keys.places, keys.ids)
    for index in places.indices {
      let (id, collection) = (places[index].id, Int(places[index].collection))
      guard let key = beginnings[collection].key else {
        beginnings[collection] = Beginning(key: index, count: id.count)
        continue
      }
      let (first, most) = (places[key].id.lowerBound, min(beginnings[collection].count, id.count))
      var same = 0
      while same < most, ids[first + same] == ids[id.lowerBound + same] { same += 1 }
      beginnings[collection].count = same
    }
    return beginnings
  }

  private static func precedes(
    _ lhs: Rank, _ rhs: Rank, _ places: UnsafeBufferPointer<DocumentKeys.Place>,
    _ ids: UnsafeRawBufferPointer
  ) -> Bool {
    if lhs.collection != rhs.collection { return lhs.collection < rhs.collection }
    if lhs.bytes != rhs.bytes { return lhs.bytes < rhs.bytes }
    let first = UnsafeRawBufferPointer(rebasing: ids[places[lhs.index].id])
    return first.order(to: UnsafeRawBufferPointer(rebasing: ids[places[rhs.index].id])) < 0
  }

  /// As a number that sorts like the bytes; those that are missing come before all others, and are
  /// told apart from zeros by nothing but the ids themselves.
  private static func eightBytes(
    of id: Range<Int>, after start: Int, in ids: [UInt8]
  ) -> UInt64 {
    var number: UInt64 = 0
    for index in id.lowerBound + start..<id.lowerBound + start + 8 {
      number = number << 8 | (index < id.upperBound ? UInt64(ids[index]) : 0)
    }
    return number
  }
}
