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
    /// Which of `inserts` it edits; ``none`` if it is an insert itself.
    let insert: UInt32
    /// The next of the same document; ``none`` behind the last.
    var next = CollectedOperations.none
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
    let key: DocumentKey
    let first: UInt32
    var last: UInt32
  }

  static let none = UInt32.max

  private var chains: [Chain] = []
  private var numbers: [DocumentKey: UInt32] = [:]
  private var links: [Link] = []
  private var inserts: [Dot] = []
  private var headers: [Header] = []
  private var contexts: [Context] = []
  /// Which of them came last of each stream, without that.
  private var lastContexts: [StreamID: UInt32] = [:]
  private var paths: [Path] = []
  private var pathNumbers: [Path: UInt32] = [:]
  /// Some of the paths that came last, by their last bytes: most come again and again.
  private var recent = [UInt32](repeating: 0, count: 64)
  private var payloads: [UInt8] = []
  /// That of the operation which came last; the next is often on the same document.
  private var lastChain = 0
  /// About how much memory all of it takes.
  private(set) var bytes = 0

  /// Begins with the operations of another transaction; they come one after another.
  mutating func begin(_ header: Transaction.Header) {
    let own = header.context.entries(of: header.stream)
    let isUsual = own.count == 1 && own.first?.sequence == header.sequence - 1
    let context = isUsual ? header.context.without(header.stream) : header.context
    headers.append(
      Header(
        stamp: header.stamp(0), previous: isUsual ? own.first?.fingerprint : nil,
        context: number(of: context, seenBy: header.stream)))
    bytes += MemoryLayout<Header>.stride
  }

  /// Makes room for so many operations, so that it need not be made twice.
  mutating func reserve(operations: Int) { links.reserveCapacity(operations) }

  /// Collects one more of the transaction that was begun last.
  ///
  /// - parameter place: the index by which it is named there.
  mutating func append(_ operation: Replication.Operation, at place: Int) {
    guard let transaction = headers.indices.last else { return }
    let dot = headers[transaction].stamp(at: UInt32(truncatingIfNeeded: place)).dot
    let number = UInt32(links.count)
    links.append(
      Link(
        transaction: UInt32(transaction), place: dot.index,
        insert: operation.insert == dot ? Self.none : self.number(ofInsert: operation.insert),
        path: self.number(of: operation.path),
        payload: (UInt32(payloads.count), UInt32(operation.payload.count)),
        kind: operation.kind))
    payloads.append(contentsOf: operation.payload)
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

  private mutating func number(of path: Path) -> UInt32 {
    let slot = Int((path.bytes.last ?? 0) & 63)
    let known = Int(recent[slot])
    if known < paths.count, paths[known] == path { return recent[slot] }
    let next = UInt32(paths.count)
    let number = Self.read(&pathNumbers[path, default: next])
    recent[slot] = number
    guard number == next else { return number }
    paths.append(path)
    bytes += Self.pathBytes + path.bytes.count
    return number
  }

  private mutating func number(of context: Context, seenBy stream: StreamID) -> UInt32 {
    // One after another had mostly seen the same of others.
    if let last = lastContexts[stream], contexts[Int(last)] == context { return last }
    let number = UInt32(contexts.count)
    lastContexts[stream] = number
    contexts.append(context)
    bytes += Self.bytes(of: context)
    return number
  }

  private mutating func number(ofInsert insert: Dot) -> UInt32 {
    if inserts.last != insert { inserts.append(insert) }
    return UInt32(inserts.count - 1)
  }

  /// What was collected, in the order of the documents' keys.
  ///
  /// - parameter lineage: What contexts are judged by.
  consuming func documents(judgedBy lineage: Lineage) -> CollectedDocuments {
    let order = DocumentOrder.indices(of: chains.map(\.key))
    numbers = [:]
    pathNumbers = [:]
    return CollectedDocuments(
      order: order, chains: chains, links: links, inserts: inserts, headers: headers,
      contexts: SeenContexts(contexts, of: headers, judgedBy: lineage), paths: paths,
      payloads: payloads)
  }
}

// MARK: - How much memory they take

extension CollectedOperations {
  /// What a transaction takes at most: if each of its operations is alone on its document and its
  /// path.
  static func mostBytes(of transaction: Transaction) -> Int {
    var bytes = MemoryLayout<Header>.stride + bytes(of: transaction.header.context)
    // By place: an iterator would copy each.
    for index in transaction.operations.indices {
      bytes += Self.bytes(of: transaction.operations[index]) + documentBytes + pathBytes
      bytes += transaction.operations[index].path.bytes.count
    }
    return bytes
  }

  private static func bytes(of operation: Replication.Operation) -> Int {
    MemoryLayout<Link>.stride + MemoryLayout<Dot>.stride + operation.payload.count
  }

  private static func bytes(of context: Context) -> Int {
    arrayBytes + context.entries.count * MemoryLayout<Context.Entry>.stride
  }

  /// What an array takes beside its elements.
  private static let arrayBytes = 32

  /// What a document takes beside its operations: its id, its place in the dictionary, its chain.
  private static let documentBytes = 128

  /// What a path takes beside its bytes: the array, its place in the dictionary.
  private static let pathBytes = arrayBytes + 32
}
