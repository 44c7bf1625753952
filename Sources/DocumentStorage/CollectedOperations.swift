import Replication

/// Operations by document, as an import collects them until it writes the documents.
///
/// Far smaller than the entries that become of them, so that more of an import is at hand at once
/// and each document is written less often: a chain of links for each document, what the
/// operations of a transaction have in common once, each path once, and all payloads behind one
/// another. A link refers to all that by number, so that to follow a chain touches nothing that
/// another thread counts references of.
///
/// Not copied: what it holds is looked at for each operation.
struct CollectedOperations: ~Copyable {
  /// An operation, but for its document.
  struct Link: Sendable {
    let transaction: UInt32
    /// The index by which it is named.
    let place: UInt32
    /// Which of `inserts` it edits; ``own`` for that of its document's chain, ``none`` if it is an
    /// insert itself.
    let insert: UInt32
    /// The one before it of the same document; ``none`` before the first.
    let previous: UInt32
    let path: UInt32
    /// Where in `payloads` its own begins, and how many bytes that has.
    let payload: (start: UInt32, count: UInt32)
    let kind: OperationKind
  }

  /// What the operations of a transaction have in common.
  struct Header: Sendable {
    let stamp: Stamp
    /// The fingerprint of the one before it in its stream, if its author had seen that, and no
    /// other there: what of the context most transactions do not have in common.
    let previous: Fingerprint?
    /// Which of `contexts` is the rest of the context; each is of one stream's transactions.
    let context: UInt32

    func stamp(at place: UInt32) -> Stamp {
      Stamp(
        time: stamp.time,
        dot: Dot(stream: stamp.dot.stream, sequence: stamp.dot.sequence, index: place),
        fingerprint: stamp.fingerprint)
    }

    /// The whole context, of which `rest` is the rest.
    func seen(beside rest: Context) -> Context {
      guard let previous else { return rest }
      var seen = rest
      seen.insert(
        Context.Entry(
          stream: stamp.dot.stream, sequence: stamp.dot.sequence - 1, fingerprint: previous))
      return seen
    }
  }

  struct Chain: Sendable {
    /// The insert that the first of them edits, or is: mostly that of all.
    let insert: Dot
    /// The operation that came last.
    var last: UInt32
    /// How many they are.
    var count: UInt32
  }

  static let none = UInt32.max
  static let own = none - 1

  private var documents = NumberedDocuments()
  /// Those of the documents, by their numbers.
  private var chains: [Chain] = []
  private var links: [Link] = []
  private var inserts: [Dot] = []
  private var headers: [Header] = []
  private var contexts: [Context] = []
  /// Which of them came last of each stream, without that.
  private var lastContexts: [StreamID: UInt32] = [:]
  private var paths: [Path] = []
  private var pathNumbers: [Path: UInt32] = [:]
  /// That of the segment in hand.
  private var table: OperationTable?
  /// Which of the paths each of its own is; ``none`` for one that has not come yet.
  private var namedPaths: [UInt32] = []
  /// The chain of each of its documents and the number of the insert that it names; ``none`` for
  /// one that has not come yet.
  private var namedDocuments: [(chain: UInt32, insert: UInt32)] = []
  /// Up to which of them all has been fetched that looking them up needs.
  private var fetched = 0
  private var payloads: [UInt8] = []
  /// About how much memory all of it takes.
  private(set) var bytes = 0

  /// Begins with the operations of another transaction; they come one after another.
  mutating func begin(_ header: Transaction.Header) {
    let own = header.context.entries(of: header.stream)
    let isUsual = own.count == 1 && own.first?.sequence == header.sequence - 1
    headers.append(
      Header(
        stamp: header.stamp(0), previous: isUsual ? own.first?.fingerprint : nil,
        context: number(ofContextOf: header, isUsual: isUsual)))
    bytes += MemoryLayout<Header>.stride
  }

  /// Makes room for so many, so that it need not be made twice.
  mutating func reserve(operations: Int, transactions: Int, payloadBytes: Int) {
    links.reserveCapacity(operations)
    headers.reserveCapacity(transactions)
    payloads.reserveCapacity(payloadBytes)
  }

  /// Collects some more of the transaction that was begun last.
  mutating func append(_ offsets: Range<Int>, of transaction: Transaction) {
    guard let header = headers.indices.last, let first = offsets.first else { return }
    let list = transaction.operations
    if table !== list.table { begin(list.table) }
    let (table, places) = (list.table, transaction.places)
    let dot = headers[header].stamp.dot
    let rows = list.rows.lowerBound + first..<list.rows.lowerBound + offsets.upperBound
    let start = UInt32(payloads.count)
    let base = table.rows[rows.lowerBound].payload.start
    for index in rows {
      let row = table.rows[index]
      let offset = index - list.rows.lowerBound
      let place = UInt32(truncatingIfNeeded: places?[offset] ?? offset)
      let named = name(row.document, of: table)
      let isInsert = table.documents[Int(row.document)].insert.is(dot, at: place)
      let previous = chains[Int(named.chain)].last
      chains[Int(named.chain)].last = UInt32(links.count)
      chains[Int(named.chain)].count += 1
      links.append(
        Link(
          transaction: UInt32(header), place: place, insert: isInsert ? Self.none : named.insert,
          previous: previous, path: self.number(of: row.path, table),
          payload: (row.payload.start - base + start, row.payload.count), kind: row.kind))
    }
    bytes += rows.count * Self.operationBytes
    let added = table.payloads[Int(base)..<table.rows[rows.upperBound - 1].bytes.upperBound]
    payloads.append(contentsOf: added)
    bytes += added.count
  }

  /// Begins with the operations of another table.
  private mutating func begin(_ table: OperationTable) {
    self.table = table
    namedPaths.removeAll(keepingCapacity: true)
    namedPaths.append(contentsOf: repeatElement(Self.none, count: table.paths.count))
    namedDocuments.removeAll(keepingCapacity: true)
    let unknown = (chain: Self.none, insert: Self.none)
    namedDocuments.append(contentsOf: repeatElement(unknown, count: table.documents.count))
    fetched = 0
  }

  /// The chain of a document, and the number of the insert.
  private mutating func name(
    _ document: UInt32, of table: OperationTable
  ) -> (chain: UInt32, insert: UInt32) {
    let known = namedDocuments[Int(document)]
    guard known.chain == Self.none else { return known }
    if document >= fetched {
      fetched = min(Int(document) + Self.fetchedAtOnce, table.documents.count)
      documents.fetch(Int(document)..<fetched, of: table)
    }
    let insert = table.documents[Int(document)].insert
    let chain = documents.number(of: Int(document), in: table)
    if chain == chains.count {
      chains.append(Chain(insert: insert, last: Self.none, count: 0))
      bytes += Self.documentBytes + table.keys.places[Int(document)].id.count
    }
    namedDocuments[Int(document)] = (UInt32(chain), self.number(of: insert, in: chain))
    return namedDocuments[Int(document)]
  }

  /// Few enough to be still at hand when the last of them is looked up.
  private static let fetchedAtOnce = 64

  private mutating func number(of path: UInt32, _ table: OperationTable) -> UInt32 {
    let known = namedPaths[Int(path)]
    guard known == Self.none else { return known }
    let named = table.paths[Int(path)]
    let number = pathNumbers[named] ?? UInt32(paths.count)
    namedPaths[Int(path)] = number
    guard number == paths.count else { return number }
    paths.append(named)
    pathNumbers[named] = number
    bytes += Self.pathBytes + named.bytes.count
    return number
  }

  /// - parameter isUsual: Whether what it has of its own stream is told by ``Header/previous``.
  private mutating func number(
    ofContextOf header: Transaction.Header, isUsual: Bool
  ) -> UInt32 {
    // One after another had mostly seen the same of others.
    let last = lastContexts[header.stream]
    let known = last.map { contexts[Int($0)] } ?? Context()
    let context = isUsual ? header.context.without(header.stream, like: known) : header.context
    if let last, known == context { return last }
    let number = UInt32(contexts.count)
    lastContexts[header.stream] = number
    contexts.append(context)
    bytes += Self.bytes(of: context)
    return number
  }

  private mutating func number(of insert: Dot, in chain: Int) -> UInt32 {
    if chains[chain].insert == insert { return Self.own }
    if inserts.last != insert {
      inserts.append(insert)
      bytes += MemoryLayout<Dot>.stride
    }
    return UInt32(inserts.count - 1)
  }

  /// What was collected, in the order of the documents' keys.
  ///
  /// - parameter lineage: What contexts are judged by.
  consuming func documents(judgedBy lineage: Lineage) -> CollectedDocuments {
    let keys = documents.keys
    documents = NumberedDocuments()
    pathNumbers = [:]
    return CollectedDocuments(
      order: DocumentOrder.indices(of: keys), keys: keys, chains: chains, links: links,
      inserts: inserts, headers: headers,
      contexts: SeenContexts(contexts, of: headers, judgedBy: lineage), paths: paths,
      payloads: payloads)
  }
}

// MARK: - How much memory they take

extension CollectedOperations {
  /// What a transaction takes at most: if each operation is alone on its document and its path.
  static func mostBytes(of transaction: Transaction) -> Int {
    let header = MemoryLayout<Header>.stride + bytes(of: transaction.header.context)
    let (list, table) = (transaction.operations, transaction.operations.table)
    let each = operationBytes + MemoryLayout<Dot>.stride + documentBytes + pathBytes
    return list.rows.reduce(header) { bytes, index in
      let row = table.rows[index]
      return bytes + each + Int(row.payload.count) + table.paths[Int(row.path)].bytes.count
        + table.keys.places[Int(row.document)].id.count
    }
  }

  /// What an operation takes beside its payload.
  private static let operationBytes = MemoryLayout<Link>.stride

  private static func bytes(of context: Context) -> Int {
    arrayBytes + context.entries.count * MemoryLayout<Context.Entry>.stride
  }

  /// What an array takes beside its elements.
  private static let arrayBytes = 32

  /// What a document takes beside its operations and its id: its chain, and its places in tables.
  private static let documentBytes = MemoryLayout<Chain>.stride + 64

  /// What a path takes beside its bytes: the array, its places in it and in the dictionary.
  private static let pathBytes = arrayBytes + 32
}

extension Dot {
  /// Whether it is that of the operation at a place of the transaction whose first is `first`.
  fileprivate func `is`(_ first: Dot, at place: UInt32) -> Bool {
    sequence == first.sequence && index == place && stream == first.stream
  }
}
