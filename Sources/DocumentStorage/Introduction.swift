import Foundation
import GRDB
import Replication
import SegmentFormat

/// What a batch tells of its device: its name where that is new to the readers, and in a stream's
/// first file which others the device has written.
///
/// It is fixed with the batch's borders: streams that the device comes to write later do not count,
/// so that whoever publishes the batch, and however often, writes the same file (protocol.md 32).
struct Introduction: Sendable {
  var name: String?
  var formerStreams: [StreamID] = []

  private static let streamBytes = 16

  init() {}

  /// That of the present stream, with the file that begins with transaction `first`.
  init(of name: String, from first: Int64, _ db: Database) throws {
    self.name = name
    guard first == 1 else { return }
    let sql = """
      SELECT stream FROM streams WHERE own = \(OwnStream.written)
        AND id <> (SELECT stream FROM device) ORDER BY id
      """
    formerStreams = try Data.fetchAll(db.prepared(sql)).map { try StreamID(column: $0) }
  }

  /// - parameter row: of the table `batches`.
  init(_ row: Row) throws {
    name = try row.value("device_name")
    let stored = try row.value("former_streams") as Data? ?? Data()
    guard stored.count.isMultiple(of: Self.streamBytes) else { throw StoredBytes.damage }
    formerStreams = try stride(from: 0, to: stored.count, by: Self.streamBytes).map { offset in
      try StreamID(column: stored.dropFirst(offset).prefix(Self.streamBytes))
    }
  }

  /// How they are kept in the table `batches`.
  var storedStreams: Data? {
    formerStreams.isEmpty ? nil : Data(formerStreams.flatMap(\.bytes))
  }

  var attributes: [Segment.Attribute] {
    guard let name else { return [] }
    return [.deviceName(name)] + (formerStreams.isEmpty ? [] : [.formerStreams(formerStreams)])
  }
}
