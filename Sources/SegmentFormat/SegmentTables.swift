import CanonicalJSON
import Replication

/// The tables of a segment: what would stand many times stands once.
struct SegmentTables {
  /// A document and the insert of it that operations name.
  struct DocumentReference: Hashable {
    let key: DocumentKey
    let insert: Dot
  }

  private let own: StreamID
  private let first: UInt64
  private var streams = Table<StreamID>()
  private var collections = Table<ByteString>()
  private var documents = Table<DocumentReference>()
  private var paths = Table<Path>()

  init(own: StreamID, first: UInt64) {
    self.own = own
    self.first = first
  }

  /// Each value once, in the order of first use.
  private struct Table<Value: Hashable> {
    var values: [Value] = []
    private var indices: [Value: Int] = [:]
    /// That which was asked for last: the next operation often names the same.
    private var last = 0

    mutating func index(of value: Value) -> Int {
      if last < values.count, values[last] == value { return last }
      // Inserted where it is missing, with one look.
      last = Self.read(&indices[value, default: values.count])
      if last == values.count { values.append(value) }
      return last
    }

    private static func read(_ value: inout Int) -> Int { value }
  }
}

// MARK: - Writing

extension SegmentTables {
  mutating func index(ofPath path: Path) -> Int { paths.index(of: path) }

  /// 0 is the segment's own stream; the others follow as they stand in the table.
  mutating func index(ofStream stream: StreamID) -> Int {
    stream == own ? 0 : streams.index(of: stream) + 1
  }

  mutating func index(ofDocument key: DocumentKey, insert: Dot) -> Int {
    let count = documents.values.count
    let index = documents.index(of: DocumentReference(key: key, insert: insert))
    if index == count {
      _ = collections.index(of: key.collection)
      _ = self.index(ofStream: insert.stream)
    }
    return index
  }

  func write(into output: inout [UInt8]) {
    var copy = self
    output.appendVarint(UInt64(streams.values.count))
    for stream in streams.values { output.append(stream) }
    output.appendVarint(UInt64(collections.values.count))
    for collection in collections.values { output.appendBlock(collection.bytes) }
    output.appendVarint(UInt64(paths.values.count))
    for path in paths.values { output.appendBlock(path.bytes) }
    output.appendVarint(UInt64(documents.values.count))
    for document in documents.values {
      output.appendVarint(UInt64(copy.collections.index(of: document.key.collection)))
      output.appendBlock(document.key.id.bytes)
      // Relative to the segment's start for the own stream, where inserts are near.
      let base = document.insert.stream == own ? first : 0
      output.appendVarint(Int64(bitPattern: document.insert.sequence &- base).zigzag)
      // The stream and the index in one number: both are small.
      let stream = UInt64(copy.index(ofStream: document.insert.stream))
      output.appendVarint(UInt64(document.insert.index) * streamCount + stream)
    }
  }
}

// MARK: - Reading

extension SegmentTables {
  init(from reader: inout ByteReader, own: StreamID, first: UInt64) throws(SegmentError) {
    self.init(own: own, first: first)
    for _ in 0..<(try reader.count(of: 16)) { streams.values.append(try reader.identifier()) }
    for _ in 0..<(try Self.count(from: &reader, of: 2)) {
      let name = try reader.text()
      guard DocumentKey.problem(ofCollection: name) == nil else {
        throw .damaged("a collection's name is not allowed")
      }
      collections.values.append(name)
    }
    for _ in 0..<(try Self.count(from: &reader, of: 1)) {
      guard let path = Path(validating: try reader.block()) else {
        throw .damaged("a path is malformed")
      }
      paths.values.append(path)
    }
    let count = try Self.count(from: &reader, of: 5)
    documents.values.reserveCapacity(plausible: count)
    for _ in 0..<count { documents.values.append(try documentReference(from: &reader)) }
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

  private func documentReference(
    from reader: inout ByteReader
  ) throws(SegmentError) -> DocumentReference {
    let collection = try value(at: try reader.varint(), of: collections.values)
    let key = DocumentKey(collection: collection, id: try reader.text())
    guard key.problem == nil else { throw .damaged("a document's id is not allowed") }
    let offset = Int64(zigzag: try reader.varint())
    let place = try reader.varint()
    let stream = try stream(at: place % streamCount)
    let index = place / streamCount
    let sequence = UInt64(bitPattern: offset) &+ (stream == own ? first : 0)
    guard index <= UInt64(UInt32.max), sequence > 0, sequence < UInt64(Int64.max) else {
      throw .damaged("an insert is not possible")
    }
    return DocumentReference(
      key: key, insert: Dot(stream: stream, sequence: sequence, index: UInt32(index)))
  }

  /// The own stream and those in the table.
  private var streamCount: UInt64 { UInt64(streams.values.count) + 1 }

  func stream(at index: UInt64) throws(SegmentError) -> StreamID {
    index == 0 ? own : try value(at: index - 1, of: streams.values)
  }

  func path(at index: UInt64) throws(SegmentError) -> Path {
    try value(at: index, of: paths.values)
  }

  func document(at index: Int64) throws(SegmentError) -> DocumentReference {
    guard index >= 0 else { throw .damaged("a reference points nowhere") }
    return try value(at: UInt64(index), of: documents.values)
  }

  private func value<Value>(
    at index: UInt64, of values: [Value]
  ) throws(SegmentError) -> Value {
    guard index < UInt64(values.count) else { throw .damaged("a reference points nowhere") }
    return values[Int(index)]
  }
}
