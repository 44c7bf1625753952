import CanonicalJSON
import Foundation
import GRDB
import Replication

/// Tells which stream a local number stands for.
protocol StreamNumbers {
  func stream(number: Int64) throws -> StreamID
}

extension StreamDirectory: StreamNumbers {}

/// Contexts in the local database: streams by their local numbers.
enum ContextCoding {
  static func encode(_ context: Context, number: (StreamID) throws -> Int64) rethrows -> [UInt8] {
    var bytes: [UInt8] = []
    try append(context, to: &bytes, number: number)
    return bytes
  }

  static func append(
    _ context: Context, to bytes: inout [UInt8], number: (StreamID) throws -> Int64
  ) rethrows {
    bytes.appendVarint(UInt64(context.entries.count))
    for entry in context.entries {
      bytes.appendVarint(UInt64(try number(entry.stream)))
      bytes.appendVarint(entry.sequence)
      bytes.append(entry.fingerprint)
    }
  }

  static func decode(_ bytes: [UInt8], streams: some StreamNumbers) throws -> Context {
    guard !bytes.isEmpty else { return Context() }
    var reader = StoredBytes(bytes)
    return try decode(&reader, streams: streams)
  }

  static func decode(
    _ reader: inout StoredBytes, streams: some StreamNumbers
  ) throws -> Context {
    var entries: [Context.Entry] = []
    for _ in 0..<(try reader.varint()) {
      entries.append(
        Context.Entry(
          stream: try streams.stream(number: Int64(clamping: try reader.varint())),
          sequence: try reader.varint(), fingerprint: try reader.fingerprint()))
    }
    return Context(entries)
  }
}

/// Reads what this database stored; what does not fit is damage, not input.
struct StoredBytes {
  private let bytes: [UInt8]
  private var position: Int
  private let end: Int

  /// - parameter range: Where they stand in `bytes`; nil for all of these.
  init(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    self.bytes = bytes
    (position, end) = (range?.lowerBound ?? 0, range?.upperBound ?? bytes.count)
  }

  var isAtEnd: Bool { position >= end }

  static let damage = DatabaseError(
    resultCode: .SQLITE_CORRUPT, message: "a stored value is damaged")

  mutating func varint() throws -> UInt64 {
    // Most are below 128, and a slice counts a reference.
    if position < end, bytes[position] < 0x80 {
      defer { position += 1 }
      return UInt64(bytes[position])
    }
    guard let value = bytes[..<end].readVarint(at: &position) else { throw Self.damage }
    return value
  }

  mutating func count() throws -> Int {
    let count = try varint()
    guard count <= UInt64(end - position) else { throw Self.damage }
    return Int(count)
  }

  mutating func byte() throws -> UInt8 {
    guard position < end else { throw Self.damage }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func block() throws -> SmallBytes {
    let count = try self.count()
    defer { position += count }
    return SmallBytes(copying: bytes, position..<position + count)
  }

  mutating func fingerprint() throws -> Fingerprint {
    guard end - position >= 16, let halves = bytes.halves(at: position) else {
      throw Self.damage
    }
    position += 16
    return Fingerprint(halves: halves)
  }
}

extension Identifier128 {
  var databaseBytes: Data { Data(bytes) }

  init(column: Data) throws {
    guard let value = Self(bytes: column) else { throw StoredBytes.damage }
    self = value
  }
}

extension Fingerprint {
  /// The origin where nothing was stored.
  init(optionalColumn: Data?) throws {
    self = try optionalColumn.map { try Fingerprint(column: $0) } ?? .origin
  }
}
