import CanonicalJSON
import Replication

/// Which documents of a device a report may name, with the paths that changed.
enum Listing: Sendable {
  case any
  /// Those up to one in the order of keys.
  case upTo(DocumentKey)
  case none

  /// Whether it may name the one of a number.
  func has(_ number: Int, of keys: DocumentKeys) -> Bool {
    switch self {
    case .any: true
    case .none: false
    case .upTo(let last): !keys.isBehind(number, last)
    }
  }
}

extension DocumentKeys {
  /// Whether a key sorts behind another.
  fileprivate func isBehind(_ number: Int, _ key: DocumentKey) -> Bool {
    let collection = collections[Int(places[number].collection)]
    guard collection == key.collection else { return key.collection < collection }
    return ids.withUnsafeBytes { ids in
      key.id.bytes.withUnsafeBytes {
        UnsafeRawBufferPointer(rebasing: ids[places[number].id]).order(to: $0) > 0
      }
    }
  }
}

/// Who changed which of some documents, and where.
struct DocumentChanges: Sendable {
  struct Change: Sendable {
    let stream: StreamID
    /// Whether a report may name the document.
    let isListed: Bool
    /// None where it is not listed.
    fileprivate(set) var paths: Set<Path> = []
  }

  /// Those of one document behind those of another.
  private(set) var all: [Change] = []
  /// Where those of the document in hand begin.
  private var start = 0

  /// Begins with another document.
  mutating func begin() { start = all.count }

  /// Those of the document in hand.
  var current: Range<Int> { start..<all.count }

  /// - parameter isListed: looked at once for each stream.
  mutating func note(_ path: Path, by stream: StreamID, isListed: @autoclosure () -> Bool) {
    // A handful: a search takes longer than a look at each.
    var place = start
    while place < all.count, all[place].stream != stream { place += 1 }
    if place == all.count { all.append(Change(stream: stream, isListed: isListed())) }
    if all[place].isListed { all[place].paths.insert(path) }
  }
}
