/// How far each author's transactions are known to somebody; authors that came later, not at all.
struct Seen: Equatable {
  private var counts: [Int] = []

  subscript(author: Int) -> Int {
    get { author < counts.count ? counts[author] : 0 }
    set {
      guard newValue != self[author] else { return }
      while counts.count <= author { counts.append(0) }
      counts[author] = newValue
      while counts.last == 0 { counts.removeLast() }
    }
  }

  /// The authors of whom anything is known.
  var authors: [Int] { counts.indices.filter { counts[$0] > 0 } }

  mutating func raise(_ author: Int, to sequence: Int) {
    self[author] = max(self[author], sequence)
  }

  mutating func formUnion(_ other: Seen) {
    for author in other.authors { raise(author, to: other[author]) }
  }

  func isPart(of other: Seen) -> Bool { authors.allSatisfy { self[$0] <= other[$0] } }
}

extension Seen: CustomStringConvertible {
  var description: String { "\(counts)" }
}
