import CanonicalJSON
import Foundation
import GRDB
import Replication
import SegmentFormat
import SystemFiles

/// Where a file stands under `logs/`: a sub-folder's name and the file's, as bytes.
package struct FileKey: Hashable, Sendable, Comparable {
  package let directory: [UInt8]
  package let name: [UInt8]

  package init(directory: [UInt8], name: [UInt8]) {
    self.directory = directory
    self.name = name
  }

  package static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.directory.isSame(as: rhs.directory)
      ? lhs.name.isBefore(rhs.name) : lhs.directory.isBefore(rhs.directory)
  }

  package static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.name.isSame(as: rhs.name) && lhs.directory.isSame(as: rhs.directory)
  }

  package func hash(into hasher: inout Hasher) {
    directory.hashAtOnce(into: &hasher)
    name.hashAtOnce(into: &hasher)
  }
}

/// What was found out about a file that is no imported segment under its own name.
package struct FileRecord: Sendable, Equatable {
  /// What a file is when it is not imported (contract.md, "Files under logs/").
  package enum Reason: String, Sendable, CaseIterable {
    case duplicate
    case foreign
    /// Whole and right, but something before it in its stream is missing.
    case waiting
    case incomplete
    case damaged
    case newer
    case otherContainer = "other-container"
    case notAFile = "not-a-file"
    case unreadable
    /// It contradicts what was applied of its stream: a cloned or restored device.
    case branch

    /// Whether it is for what stands in the file.
    package var isOfContent: Bool {
      switch self {
      case .damaged, .incomplete, .otherContainer: true
      default: false
      }
    }

    /// Whether the file is set aside: named in reports, and the reason for exit code 65.
    package var isSetAside: Bool {
      switch self {
      case .duplicate, .foreign, .waiting: false
      default: true
      }
    }
  }

  /// What tells that a file has changed since it was looked at.
  package struct Look: Hashable, Sendable {
    package let size: Int64
    package let modified: Int64
    package let changed: Int64
    package let inode: Int64

    package init(size: Int64, modified: Int64, changed: Int64, inode: Int64) {
      self.size = size
      self.modified = modified
      self.changed = changed
      self.inode = inode
    }
  }

  package let key: FileKey
  package let look: Look
  package let reason: Reason
  package let detail: String?
  /// Of a file that waits, or of another container's: the stream and range it holds.
  package let range: Range?
  /// What decides whether it is read again though it looks as it did.
  ///
  /// Of a file that waits for another branch of its stream: how much was known of that when it was
  /// read (``StoreDatabase/knowledge(of:)``). Of one that is damaged or incomplete: when that was
  /// found first, in milliseconds since 1970; nil once it is beyond doubt.
  package let tried: Int?

  package struct Range: Hashable, Sendable {
    package let stream: StreamID
    package let first: UInt64
    package let last: UInt64

    package init(stream: StreamID, first: UInt64, last: UInt64) {
      self.stream = stream
      self.first = first
      self.last = last
    }
  }

  package init(
    key: FileKey, look: Look, reason: Reason, detail: String?, range: Range? = nil,
    tried: Int? = nil
  ) {
    self.key = key
    self.look = look
    self.reason = reason
    self.detail = detail
    self.range = range
    self.tried = tried
  }
}

extension StoreDatabase {
  /// What is remembered of files, by where they stand.
  ///
  /// - parameter directory: only of those in this sub-folder of `logs/`; nil for all.
  package func fileRecords(in directory: [UInt8]? = nil) throws -> [FileKey: FileRecord] {
    try read { db in
      var records: [FileKey: FileRecord] = [:]
      let sql =
        "SELECT \(FileRecord.columns) FROM files"
        + (directory == nil ? "" : " WHERE directory = ?")
      for record in try db.read(
        sql, directory.map { [Data($0)] } ?? [], FileRecord.init(row:))
      {
        records[record.key] = record
      }
      return records
    }
  }

  /// Replaces what is remembered: `forgotten` goes, `noted` comes.
  package func updateFileRecords(noted: [FileRecord], forgotten: [FileKey]) throws {
    guard !noted.isEmpty || !forgotten.isEmpty else { return }
    try write { db in
      for key in forgotten {
        try db.run(
          "DELETE FROM files WHERE directory = ? AND name = ?",
          [Data(key.directory), Data(key.name)])
      }
      for record in noted {
        try db.run(
          "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
          [
            Data(record.key.directory), Data(record.key.name), record.look.size,
            record.look.modified,
            record.look.changed, record.look.inode, record.reason.rawValue, record.detail,
            record.range?.stream.databaseBytes, record.range.map { Int64($0.first) },
            record.range.map { Int64($0.last) }, record.tried,
          ])
      }
    }
  }
}

extension FileRecord {
  /// In the order in which `init` takes them.
  fileprivate static let columns = """
    directory, name, size, modified, changed, inode, reason, detail, stream, first, last, tried
    """

  fileprivate init(row: BareRow) throws {
    guard let reason = Reason(rawValue: try row.value(6)) else { throw StoredBytes.damage }
    var range: Range?
    if let stream: Data = try row.value(8) {
      range = Range(
        stream: try StreamID(column: stream), first: try row.number(9), last: try row.number(10))
    }
    self.init(
      key: FileKey(
        directory: try [UInt8](row.value(0) as Data), name: try [UInt8](row.value(1) as Data)),
      look: Look(
        size: try row.value(2), modified: try row.value(3), changed: try row.value(4),
        inode: try row.value(5)),
      reason: reason, detail: try row.value(7), range: range, tried: try row.value(11))
  }
}
