import CanonicalJSON
import Replication

/// The tables of a segment that is written: what would stand many times stands once.
struct SegmentTables {
  /// A document and the insert of it that operations name.
  private struct DocumentReference: Hashable {
    /// Its number among the documents.
    let number: Int
    let insert: Dot
  }

  private let own: StreamID
  private let first: UInt64
  private var streams = Table<StreamID>()
  private var numbered = NumberedDocuments()
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

extension SegmentTables {
  mutating func index(ofPath path: Path) -> Int { paths.index(of: path) }

  /// 0 is the segment's own stream; the others follow as they stand in the table.
  mutating func index(ofStream stream: StreamID) -> Int {
    stream == own ? 0 : streams.index(of: stream) + 1
  }

  /// - parameter document: Its number in `table`.
  mutating func index(ofDocument document: Int, in table: OperationTable) -> Int {
    let count = documents.values.count
    let insert = table.documents[document].insert
    let index = documents.index(
      of: DocumentReference(number: numbered.number(of: document, in: table), insert: insert))
    if index == count { _ = self.index(ofStream: insert.stream) }
    return index
  }

  func write(into output: inout [UInt8]) {
    var copy = self
    output.appendVarint(UInt64(streams.values.count))
    for stream in streams.values { output.append(stream) }
    let keys = numbered.keys
    output.appendVarint(UInt64(keys.collections.count))
    for collection in keys.collections { output.appendBlock(collection.bytes) }
    output.appendVarint(UInt64(paths.values.count))
    for path in paths.values { output.appendBlock(path.bytes) }
    output.appendVarint(UInt64(documents.values.count))
    for document in documents.values {
      output.appendVarint(UInt64(keys.places[document.number].collection))
      output.appendBlock(keys.id(at: document.number))
      // Relative to the segment's start for the own stream, where inserts are near.
      let base = document.insert.stream == own ? first : 0
      output.appendVarint(Int64(bitPattern: document.insert.sequence &- base).zigzag)
      // The stream and the index in one number: both are small.
      let stream = UInt64(copy.index(ofStream: document.insert.stream))
      output.appendVarint(
        UInt64(document.insert.index) * (UInt64(streams.values.count) + 1) + stream)
    }
  }
}
