import CanonicalJSON
import Replication

/// The tables of a segment that is read.
struct ReadTables {
  private let own: StreamID
  private let first: UInt64
  private var streams: [StreamID] = []
  private(set) var paths: [Path] = []
  private(set) var keys: DocumentKeys
  /// The insert that operations name, of each document in ``keys``.
  private(set) var inserts: [Dot] = []

  init(from reader: inout ByteReader, own: StreamID, first: UInt64) throws(SegmentError) {
    self.own = own
    self.first = first
    keys = DocumentKeys()
    for _ in 0..<(try reader.count(of: 16)) { streams.append(try reader.identifier()) }
    var collections: [ByteString] = []
    for _ in 0..<(try Self.count(from: &reader, of: 2)) {
      let name = try reader.text()
      guard DocumentKey.problem(ofCollection: name) == nil else {
        throw .damaged("a collection's name is not allowed")
      }
      collections.append(name)
    }
    for _ in 0..<(try Self.count(from: &reader, of: 1)) {
      let bytes = try reader.block()
      guard bytes.count <= SegmentFile.maximumPathBytes, let path = Path(validating: bytes) else {
        throw .damaged("a path is malformed")
      }
      paths.append(path)
    }
    let count = try Self.count(from: &reader, of: 5)
    keys = DocumentKeys(collections: collections)
    inserts.reserveCapacity(plausible: count)
    for _ in 0..<count { try readDocument(from: &reader) }
  }

  /// How many entries a table has that operations refer to.
  private static func count(
    from reader: inout ByteReader, of size: Int
  ) throws(SegmentError) -> Int {
    let count = try reader.count(of: size)
    guard count <= SegmentFile.maximumTableEntries else {
      throw .damaged("a table has more entries than operations can name")
    }
    return count
  }

  private mutating func readDocument(from reader: inout ByteReader) throws(SegmentError) {
    let collection = try reader.varint()
    guard collection < UInt64(keys.collections.count) else { throw Self.nowhere }
    try keys.append(collection: UInt32(collection)) { ids throws(SegmentError) in
      let start = ids.count
      try reader.take(reader.count(of: 1), into: &ids)
      let id = ids.span.extracting(start..<ids.count)
      guard id.isUTF8 else { throw .damaged("text is not UTF-8") }
      guard DocumentKey.problem(ofID: id) == nil else {
        throw .damaged("a document's id is not allowed")
      }
    }
    let offset = Int64(zigzag: try reader.varint())
    let place = try reader.varint()
    // The own stream and those in the table.
    let streamCount = UInt64(streams.count) + 1
    let stream = try stream(at: place % streamCount)
    let index = place / streamCount
    let sequence = UInt64(bitPattern: offset) &+ (stream == own ? first : 0)
    guard index <= UInt64(UInt32.max), sequence > 0, sequence < UInt64(Int64.max) else {
      throw .damaged("an insert is not possible")
    }
    inserts.append(Dot(stream: stream, sequence: sequence, index: UInt32(index)))
  }

  func stream(at index: UInt64) throws(SegmentError) -> StreamID {
    index == 0 ? own : try Self.value(at: index - 1, of: streams)
  }

  private static var nowhere: SegmentError { .damaged("a reference points nowhere") }

  private static func value<Value>(
    at index: UInt64, of values: [Value]
  ) throws(SegmentError) -> Value {
    guard index < UInt64(values.count) else { throw nowhere }
    return values[Int(index)]
  }
}
