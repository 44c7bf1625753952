import GRDB
import Replication
import SegmentFormat

/// Publishes the removals that had to wait until what their authors saw could be claimed.
///
/// A removal claims the closure of what its author saw: that, and what the authors of that had
/// seen, no more (protocol.md 4, 7).
enum PendingRemovals {
  /// - returns: how many transactions were made.
  static func release(_ db: Database, now: HybridTime, nonce: UInt64) throws -> Int {
    let table = try DocumentTable(db)
    let waiting = try table.waiting()
    guard !waiting.isEmpty else { return 0 }
    let streams = try StreamDirectory(db)
    let contexts = try streams.storedContexts(db)
    var bySeen: [Context: [DocumentKey]] = [:]
    for key in waiting {
      for removal in try table.state(of: key, streams: streams).pending {
        if bySeen[removal.seen]?.last != key { bySeen[removal.seen, default: []].append(key) }
      }
    }
    var released = 0
    for (seen, keys) in bySeen.sorted(by: { $0.value[0] < $1.value[0] }) {
      let claim = closure(of: seen, contexts: contexts)
      guard claim.isCovered(by: streams.frontier.closed) else { continue }
      var writer = try StoreWriter(db, now: now, nonce: nonce)
      for key in keys { try writer.publishRemovals(at: key, seen: seen, claiming: claim) }
      _ = try writer.finish()
      released += 1
    }
    if try table.waiting().isEmpty {
      // What is closed was kept for these closures only.
      try db.execute(
        sql: """
          DELETE FROM open_transactions WHERE sequence <=
            (SELECT closed FROM streams WHERE streams.id = open_transactions.stream)
          """)
    }
    return released
  }

  /// The least closed vector that holds `seen`, by the contexts known.
  static func closure(of seen: Context, contexts: [Frontier.Open]) -> Context {
    var result = seen
    var rest = contexts
    while let index = rest.firstIndex(where: {
      result.contains(stream: $0.tip.stream, sequence: $0.tip.sequence)
    }) {
      result.merge(rest.remove(at: index).context)
    }
    return result
  }
}
