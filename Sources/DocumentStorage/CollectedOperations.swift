import Replication

/// Operations by document, as an import collects them until it writes the documents.
///
/// Far smaller than the entries that become of them, so that more of an import is at hand at once
/// and each document is written less often: a chain of links for each document, and what the
/// operations of a transaction have in common once.
///
/// Not copied: what it holds is looked at for each operation.
struct CollectedOperations: ~Copyable {
  typealias Entry = DocumentState.Entry

  /// An operation, but for its document.
  private struct Link {
    let transaction: UInt32
    /// The index by which it is named.
    let place: UInt32
    /// Which of `inserts` it edits; ``none`` if it is an insert itself.
    let insert: UInt32
    /// The next of the same document; ``none`` behind the last.
    var next = CollectedOperations.none
    let kind: OperationKind
    let path: Path
    let payload: [UInt8]
  }

  private struct Chain {
    let key: DocumentKey
    let first: UInt32
    var last: UInt32
  }

  private static let none = UInt32.max

  private var chains: [Chain] = []
  private var numbers: [DocumentKey: UInt32] = [:]
  private var links: [Link] = []
  private var inserts: [Dot] = []
  private var headers: [Transaction.Header] = []
  /// That of the operation which came last; the next is often on the same document.
  private var lastChain = 0
  /// About how much memory all of it takes.
  private(set) var bytes = 0

  /// Collects one more; the operations of a transaction come one after another.
  ///
  /// - parameter place: the index by which it is named in its transaction.
  mutating func append(
    _ operation: Replication.Operation, at place: Int, of header: Transaction.Header
  ) {
    if headers.last != header {
      headers.append(header)
      bytes += Self.bytes(of: header)
    }
    let dot = header.stamp(place).dot
    let number = UInt32(links.count)
    links.append(
      Link(
        transaction: UInt32(headers.count - 1), place: dot.index,
        insert: operation.insert == dot ? Self.none : self.number(ofInsert: operation.insert),
        kind: operation.kind, path: operation.path, payload: operation.payload))
    bytes += Self.bytes(of: operation)
    if let chain = chain(of: operation.document, startingWith: number) {
      links[Int(chains[chain].last)].next = number
      chains[chain].last = number
    }
  }

  /// The chain that goes on; nil if one was begun.
  private mutating func chain(of key: DocumentKey, startingWith number: UInt32) -> Int? {
    if lastChain < chains.count, chains[lastChain].key == key { return lastChain }
    // Inserted where it is missing, with one look.
    let next = UInt32(chains.count)
    lastChain = Int(Self.read(&numbers[key, default: next]))
    guard lastChain == chains.count else { return lastChain }
    chains.append(Chain(key: key, first: number, last: number))
    bytes += Self.documentBytes
    return nil
  }

  private static func read(_ value: inout UInt32) -> UInt32 { value }

  private mutating func number(ofInsert insert: Dot) -> UInt32 {
    if inserts.last != insert { inserts.append(insert) }
    return UInt32(inserts.count - 1)
  }

  /// Calls `body` with each document, in the order of their keys, and with its operations in that
  /// in which they came.
  func forEachDocument(_ body: (DocumentKey, [Entry]) throws -> Void) rethrows {
    for index in DocumentOrder.indices(of: chains.map(\.key)) {
      try body(chains[index].key, entries(from: chains[index].first))
    }
  }

  private func entries(from first: UInt32) -> [Entry] {
    var entries: [Entry] = []
    var number = first
    while number != Self.none {
      let link = links[Int(number)]
      let stamp = headers[Int(link.transaction)].stamp(Int(link.place))
      let insert = link.insert == Self.none ? stamp.dot : inserts[Int(link.insert)]
      entries.append(
        Entry(
          effect: DocumentState.Effect(
            path: link.path, kind: link.kind, payload: link.payload, insert: insert),
          stamp: stamp, context: headers[Int(link.transaction)].context))
      number = link.next
    }
    return entries
  }
}

// MARK: - How much memory they take

extension CollectedOperations {
  /// What a transaction takes at most: if each of its operations is alone on its document.
  static func mostBytes(of transaction: Transaction) -> Int {
    transaction.operations.reduce(bytes(of: transaction.header)) {
      $0 + bytes(of: $1) + documentBytes
    }
  }

  private static func bytes(of operation: Replication.Operation) -> Int {
    // Paths and the shortest payloads are shared.
    let payload = operation.payload.count > 1 ? arrayBytes + operation.payload.count : 0
    return MemoryLayout<Link>.stride + MemoryLayout<Dot>.stride + payload
  }

  private static func bytes(of header: Transaction.Header) -> Int {
    MemoryLayout<Transaction.Header>.stride + arrayBytes
      + header.context.entries.count * MemoryLayout<Context.Entry>.stride
  }

  /// What an array takes beside its elements.
  private static let arrayBytes = 32

  /// What a document takes beside its operations: its id, its place in the dictionary, its chain.
  private static let documentBytes = 128
}
