import CanonicalJSON
import DocumentStorage

/// What a live query shows, and what a change of some documents makes of it: a pure value.
///
/// It knows every matching document up to its last one, so changed documents can be put into their
/// places without the others being read, unless some have left and what follows is not known.
package struct QueryWindow: Sendable {
  package typealias Match = CollectionQuery.Match

  /// What the documents that changed come to.
  package enum Outcome: Sendable {
    /// What is shown stays as it is.
    case same
    case changed(QueryWindow)
    /// Documents moved up from below the limit: only reading tells which.
    case unknown
  }

  package let matches: [Match]
  private let directions: [Bool]
  private let limit: Int?

  /// - parameter directions: for each key of the order, whether it descends.
  package init(_ matches: [Match], directions: [Bool], limit: Int?) {
    self.matches = matches
    self.directions = directions
    self.limit = limit
  }

  /// Puts in the present state of documents.
  ///
  /// - parameters:
  ///   - ids: All documents that changed.
  ///   - present: Those of them that match now.
  package func updated(_ ids: Set<ByteString>, present: [Match]) -> Outcome {
    let isShown = matches.contains { ids.contains($0.id) }
    guard isShown || !present.isEmpty else { return .same }
    let kept = matches.filter { !ids.contains($0.id) }
    let isFull = limit.map { matches.count >= $0 } ?? false
    // Documents behind the last one that was shown may follow others that nobody has read.
    let edge = isFull ? matches.last : nil
    let arriving = present.filter { new in edge.map { !precedes($0, new) } ?? true }
    let merged = merge(kept, arriving.sorted(by: precedes))
    if isFull, let limit, merged.count < limit { return .unknown }
    let shown = limit.map { Array(merged.prefix($0)) } ?? merged
    guard shown != matches else { return .same }
    return .changed(QueryWindow(shown, directions: directions, limit: limit))
  }

  private func merge(_ first: [Match], _ second: [Match]) -> [Match] {
    var merged: [Match] = []
    merged.reserveCapacity(first.count + second.count)
    var rest = second[...]
    for match in first {
      while let next = rest.first, precedes(next, match) {
        merged.append(next)
        rest = rest.dropFirst()
      }
      merged.append(match)
    }
    return merged + rest
  }

  /// Whether a document comes before another: by the members of the order, then by ids.
  private func precedes(_ first: Match, _ second: Match) -> Bool {
    for (index, isDescending) in directions.enumerated() {
      let order = ValueOrder.compare(first.keys[index], second.keys[index])
      if order != 0 { return isDescending ? order > 0 : order < 0 }
    }
    return directions.last ?? false ? second.id < first.id : first.id < second.id
  }
}
