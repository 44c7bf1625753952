/// Operations of one transaction or of many: each document and path once, all payloads behind one
/// another.
///
/// An operation takes twenty bytes here and its payload, and whoever looks at one counts references
/// to nothing: an import reads a million.
///
///     let list = OperationList([operation])
///     let row = list.table.rows[list.rows.lowerBound]
///     list.table.paths[Int(row.path)]  // operation.path
package final class OperationTable: Sendable {
  /// A document, but for its key, and the insert of it that operations name.
  package struct Document: Sendable {
    package let insert: Dot
    /// The key's hash value.
    let hash: Int
  }

  /// An operation, by the places of its parts.
  package struct Row: Sendable {
    package let document: UInt32
    package let path: UInt32
    package let kind: OperationKind
    package let payload: (start: UInt32, count: UInt32)

    package init(
      document: UInt32, path: UInt32, kind: OperationKind, payload: (start: UInt32, count: UInt32)
    ) {
      self.document = document
      self.path = path
      self.kind = kind
      self.payload = payload
    }

    /// Where in the table's payloads its own stands.
    package var bytes: Range<Int> { Int(payload.start)..<Int(payload.start) + Int(payload.count) }
  }

  package let documents: [Document]
  /// Those of the documents.
  package let keys: DocumentKeys
  package let paths: [Path]
  package let rows: [Row]
  /// In the order of the rows, and nothing between.
  package let payloads: [UInt8]

  /// - parameters:
  ///   - keys: Those of the documents.
  ///   - inserts: The insert that operations name, of each of the documents.
  package init(
    keys: DocumentKeys, inserts: [Dot], paths: [Path], rows: [Row], payloads: [UInt8]
  ) {
    self.keys = keys
    documents = inserts.indices.map { Document(insert: inserts[$0], hash: keys.hash(at: $0)) }
    self.paths = paths
    self.rows = rows
    self.payloads = payloads
  }

  /// The same documents and paths with other operations.
  fileprivate init(_ table: OperationTable, rows: [Row], payloads: [UInt8]) {
    (documents, keys, paths) = (table.documents, table.keys, table.paths)
    (self.rows, self.payloads) = (rows, payloads)
  }

  static let empty = OperationTable(
    keys: DocumentKeys(), inserts: [], paths: [], rows: [], payloads: [])
}

/// The operations of a transaction.
///
/// A part of a table, which those of the transactions beside it may share.
///
///     let list = OperationList([first, second])
///     list[1] == second  // true
package struct OperationList: Sendable {
  package let table: OperationTable
  /// Which of the table's rows they are.
  package let rows: Range<Int>

  /// - precondition: `table` has these rows.
  package init(_ table: OperationTable, rows: Range<Int>) {
    self.table = table
    self.rows = rows
  }

  package init(_ operations: some Collection<Operation>) {
    var keys = DocumentKeys()
    var inserts: [Dot] = []
    var last: DocumentKey?
    var paths: [Path] = []
    var rows: [OperationTable.Row] = []
    var payloads: [UInt8] = []
    rows.reserveCapacity(operations.count)
    for operation in operations {
      // Those that follow one another mostly edit the same document.
      if inserts.last != operation.insert || last != operation.document {
        keys.append(operation.document)
        inserts.append(operation.insert)
        last = operation.document
      }
      if paths.isEmpty || paths[paths.count - 1] != operation.path { paths.append(operation.path) }
      rows.append(
        OperationTable.Row(
          document: UInt32(inserts.count - 1), path: UInt32(paths.count - 1),
          kind: operation.kind,
          payload: (UInt32(payloads.count), UInt32(operation.payload.count))))
      payloads.append(contentsOf: operation.payload)
    }
    self.init(
      OperationTable(
        keys: keys, inserts: inserts, paths: paths, rows: rows, payloads: payloads),
      rows: 0..<rows.count)
  }
}

extension OperationList: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { rows.count }

  /// One of them, with a key of its own: of many see ``all``.
  package subscript(offset: Int) -> Operation {
    let row = table.rows[rows.lowerBound + offset]
    return operation(row, on: table.keys[Int(row.document)])
  }

  private func operation(_ row: OperationTable.Row, on key: DocumentKey) -> Operation {
    Operation(
      document: key, insert: table.documents[Int(row.document)].insert,
      path: table.paths[Int(row.path)], kind: row.kind, payload: Array(table.payloads[row.bytes]))
  }

  /// All of them, with one key between those on the same document: a key may have a kilobyte.
  package var all: [Operation] {
    var keys: [UInt32: DocumentKey] = [:]
    var last: (document: UInt32, key: DocumentKey)?
    return rows.map { index in
      let row = table.rows[index]
      if let last, last.document == row.document { return operation(row, on: last.key) }
      let key = keys[row.document] ?? table.keys[Int(row.document)]
      keys[row.document] = key
      last = (row.document, key)
      return operation(row, on: key)
    }
  }

  /// Some of them, by their places, in their order; what these are on stands where it stood.
  package func keeping(_ places: [Int]) -> OperationList {
    var kept: [OperationTable.Row] = []
    var payloads: [UInt8] = []
    kept.reserveCapacity(places.count)
    for place in places {
      let row = table.rows[rows.lowerBound + place]
      kept.append(
        OperationTable.Row(
          document: row.document, path: row.path, kind: row.kind,
          payload: (UInt32(payloads.count), row.payload.count)))
      payloads += table.payloads[row.bytes]
    }
    return OperationList(
      OperationTable(table, rows: kept, payloads: payloads), rows: 0..<kept.count)
  }
}

extension OperationList: Hashable {
  package static func == (first: Self, second: Self) -> Bool { first.elementsEqual(second) }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for operation in self { hasher.combine(operation) }
  }
}

extension OperationList: ExpressibleByArrayLiteral {
  package init(arrayLiteral operations: Operation...) {
    self = operations.isEmpty ? OperationList(.empty, rows: 0..<0) : OperationList(operations)
  }
}
