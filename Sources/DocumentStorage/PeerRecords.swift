import GRDB
import Replication

/// What another device has said, as far as it arrived here: whether it is waited for, and what it
/// has (protocol.md 19, 20).
package struct PeerRecord: Sendable, Equatable {
  package let stream: StreamID
  package let name: String?
  /// When something new of it arrived here last, in milliseconds since 1970; nil where only an
  /// older program knew.
  package let heardAt: Int64?
  /// Whether it is waited for: something of it has arrived within the horizon.
  package let isLive: Bool
  /// Whether it says that it has all that is applied here and has operations.
  package let hasAll: Bool
  /// How far it says that it has this device's present stream, in transactions.
  package let has: UInt64
}

extension StoreDatabase {
  /// The other devices that have written, but those that never come back, and have not, sorted by
  /// id; among them former streams of this one that a copy of it goes on with.
  ///
  /// - parameter horizon: live is one of which something new arrived here after that, in
  ///   milliseconds since 1970.
  package func peers(liveSince horizon: Int64) throws -> [PeerRecord] {
    try read { db in
      guard let own = try DeviceRecord.fetch(db)?.stream else { return [] }
      let arrivals = try Dictionary(
        uniqueKeysWithValues: Row.fetchAll(db.prepared("SELECT id, arrived_at FROM streams"))
          .map { (try $0.value(0) as Int64, try $0.value(1) as Int64?) })
      let returns = try StreamDirectory.returns(db)
      let streams = try streams(db)
      let written = streams.written
      return streams.all.compactMap { row in
        let heardAt = arrivals[row.number] ?? nil
        let isLive = heardAt.map { $0 >= horizon } ?? !row.isOwn
        let isRetired = row.retiredAt != nil && returns[row.number] == nil
        let isGone = isRetired || (row.isOwn || row.retiredAt != nil) && !isLive
        let positions = row.positions.filter { $0.sequence > 0 }
        guard row.stream != own, !isGone, !positions.isEmpty else { return nil }
        return PeerRecord(
          stream: row.stream, name: streams.name(of: row.stream), heardAt: heardAt, isLive: isLive,
          hasAll: positions.allSatisfy { streams.claims($0, of: row.stream, written) },
          has: positions.map { $0.context.sequence(of: own) }.min() ?? 0)
      }
    }
  }

  /// When this device looked after its files last, in milliseconds since 1970; nil if it never did,
  /// or did not come to the end.
  package func lookedAfterAt() throws -> Int64? {
    try read { db in
      try Int64.fetchOne(
        db.prepared("SELECT looked_after_at FROM device WHERE looked_after_at > 0"))
    }
  }
}
