import CanonicalJSON
import Replication

/// Documents in the order of their keys.
///
/// Ids of a collection mostly begin alike, and so do those among them that have the same eight
/// bytes behind that. So they are sorted by these bytes, as numbers; those that have the same by
/// the eight behind what they have in common, and so on. So an id is looked at once each time, and
/// not for each comparison, of which each waits for the memory.
package enum DocumentOrder {
  private struct Rank {
    let bytes: UInt64
    let number: Int
  }

  /// The numbers of `keys`, in the order of what they stand for.
  package static func indices(of keys: DocumentKeys) -> [Int] {
    var byCollection = keys.collections.map { _ in [Rank]() }
    for (number, place) in keys.places.enumerated() {
      byCollection[Int(place.collection)].append(Rank(bytes: 0, number: number))
    }
    let collections = keys.collections.indices.sorted {
      keys.collections[$0] < keys.collections[$1]
    }
    var order: [Int] = []
    order.reserveCapacity(keys.count)
    // By address: else each look at an id would count references.
    keys.ids.withUnsafeBytes { ids in
      keys.places.withUnsafeBufferPointer { places in
        for collection in collections {
          byCollection[collection].withUnsafeMutableBufferPointer {
            Sorting(places: places, ids: ids, ranks: $0).sort()
          }
          order.append(contentsOf: byCollection[collection].lazy.map(\.number))
          byCollection[collection] = []
        }
      }
    }
    return order
  }

  /// Sorts the keys of a collection by their ids.
  private struct Sorting {
    let places: UnsafeBufferPointer<DocumentKeys.Place>
    let ids: UnsafeRawBufferPointer
    let ranks: UnsafeMutableBufferPointer<Rank>

    func sort() {
      // What is still to be sorted, and how many bytes it has in common for certain.
      var rest = [(range: ranks.indices, common: 0)]
      while let (range, known) = rest.popLast() {
        let common = commonCount(of: range, from: known)
        for index in range {
          let number = ranks[index].number
          ranks[index] = Rank(bytes: eightBytes(of: number, after: common), number: number)
        }
        sort(range) { $0.bytes < $1.bytes }
        var start = range.lowerBound
        while start < range.upperBound {
          var end = start + 1
          while end < range.upperBound, ranks[end].bytes == ranks[start].bytes { end += 1 }
          if end - start > 1, !sortThoseThatEnd(start..<end, before: common + 8) {
            rest.append((start..<end, common + 8))
          }
          start = end
        }
      }
    }

    /// Sorts ids that are told apart from zeros by nothing but where they end.
    ///
    /// - returns: whether there is such a one among them.
    private func sortThoseThatEnd(_ range: Range<Int>, before length: Int) -> Bool {
      guard range.contains(where: { id(at: $0).count < length }) else { return false }
      sort(range) { bytes(of: $0.number).order(to: bytes(of: $1.number)) < 0 }
      return true
    }

    private func sort(_ range: Range<Int>, by precedes: (Rank, Rank) -> Bool) {
      var part = UnsafeMutableBufferPointer(rebasing: ranks[range])
      part.sort(by: precedes)
    }

    private func id(at index: Int) -> Range<Int> { places[ranks[index].number].id }

    private func bytes(of number: Int) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: ids[places[number].id])
    }

    /// How many bytes all begin with.
    ///
    /// - parameter known: So many for certain.
    private func commonCount(of range: Range<Int>, from known: Int) -> Int {
      guard !range.isEmpty else { return known }
      let first = id(at: range.lowerBound)
      var common = first.count
      for index in range.dropFirst() {
        let id = id(at: index)
        let most = min(common, id.count)
        var same = known
        while same < most, ids[first.lowerBound + same] == ids[id.lowerBound + same] { same += 1 }
        common = same
      }
      return common
    }

    /// As a number that sorts like the bytes; those that are missing count as zeros.
    private func eightBytes(of number: Int, after start: Int) -> UInt64 {
      let id = places[number].id
      let first = id.lowerBound + start
      if first + 8 <= id.upperBound {
        return UInt64(bigEndian: ids.loadUnaligned(fromByteOffset: first, as: UInt64.self))
      }
      var bytes: UInt64 = 0
      for index in first..<first + 8 {
        bytes = bytes << 8 | (index < id.upperBound ? UInt64(ids[index]) : 0)
      }
      return bytes
    }
  }
}
