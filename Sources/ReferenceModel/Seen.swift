/// How far each author's transactions are known to somebody; authors that came later, not at all.
package struct Seen: Equatable, Sendable {
  private var counts: [Int]

  /// - parameter counts: how many transactions of each author, by the author's number.
  package init(_ counts: [Int] = []) {
    self.counts = counts
    trim()
  }

  private mutating func trim() { while counts.last == 0 { counts.removeLast() } }

  package subscript(author: Int) -> Int {
    get { author < counts.count ? counts[author] : 0 }
    set {
      guard newValue != self[author] else { return }
      while counts.count <= author { counts.append(0) }
      counts[author] = newValue
      trim()
    }
  }

  /// The authors of whom anything is known.
  package var authors: [Int] { counts.indices.filter { counts[$0] > 0 } }

  package mutating func raise(_ author: Int, to sequence: Int) {
    self[author] = max(self[author], sequence)
  }

  package mutating func formUnion(_ other: Seen) {
    for author in other.authors { raise(author, to: other[author]) }
  }

  package func isPart(of other: Seen) -> Bool { authors.allSatisfy { self[$0] <= other[$0] } }
}

extension Seen: CustomStringConvertible {
  package var description: String { "\(counts)" }
}
