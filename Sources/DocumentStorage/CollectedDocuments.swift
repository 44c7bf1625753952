import Replication

/// Documents with the operations that were collected for them.
///
/// One object, since several threads look at it for each document.
final class CollectedDocuments: Sendable {
  typealias Entry = DocumentState.Entry

  private let order: [Int]
  private let keys: [DocumentKey]
  private let chains: [CollectedOperations.Chain]
  private let links: [CollectedOperations.Link]
  private let inserts: [Dot]
  private let headers: [CollectedOperations.Header]
  private let contexts: SeenContexts
  private let paths: [Path]
  private let payloads: [UInt8]
  /// Which of `paths` is the root.
  private let root: UInt32

  init(
    order: [Int], keys: [DocumentKey], chains: [CollectedOperations.Chain],
    links: [CollectedOperations.Link], inserts: [Dot], headers: [CollectedOperations.Header],
    contexts: SeenContexts, paths: [Path], payloads: [UInt8]
  ) {
    self.order = order
    self.keys = keys
    self.chains = chains
    self.links = links
    self.inserts = inserts
    self.headers = headers
    self.contexts = contexts
    root = paths.firstIndex(of: .root).map { UInt32($0) } ?? CollectedOperations.none
    self.paths = paths
    self.payloads = payloads
  }

  var count: Int { order.count }

  /// A document's key, by its place in the order of keys.
  func key(at place: Int) -> DocumentKey { keys[order[place]] }

  /// What the operations of several documents have in common, made by the thread that looks at
  /// these: to count references to what others have too takes longer than to make it.
  struct Shared {
    fileprivate var paths: [Path?] = []
    fileprivate let constants: [[UInt8]] = (0...2).map { [UInt8($0)] }
    /// That of the transaction which came last.
    fileprivate var context: (transaction: UInt32, seen: Context)?
    /// Those that may cover what comes before them, by their numbers.
    fileprivate var coverers: [UInt32] = []
    /// The operations of the document in hand, by their numbers, the last first.
    fileprivate var chain: [UInt32] = []

    init() {}
  }

  /// What comes to a document.
  struct Incoming {
    /// In the order in which it came, but for what is covered by what came later.
    var entries: [Entry] = []
    /// That, by where it would have shown, and whose it is.
    var covered: [(path: Path, stream: StreamID)] = []
    var count: Int { entries.count + covered.count }
  }

  /// What comes to a document.
  func incoming(at place: Int, _ shared: inout Shared) -> Incoming {
    var incoming = Incoming()
    let insert = chains[order[place]].insert
    var number = chains[order[place]].last
    shared.chain.removeAll(keepingCapacity: true)
    while number != CollectedOperations.none {
      shared.chain.append(number)
      number = links[Int(number)].previous
    }
    shared.coverers.removeAll(keepingCapacity: true)
    if shared.chain.count > 1 {
      // The last first: what covers comes later.
      for index in shared.chain.indices where isCovered(shared.chain[index], &shared) {
        let link = links[Int(shared.chain[index])]
        let stream = headers[Int(link.transaction)].stamp.dot.stream
        incoming.covered.append((path(link.path, &shared), stream))
        shared.chain[index] = CollectedOperations.none
      }
    }
    incoming.entries.reserveCapacity(shared.chain.count - incoming.covered.count)
    for index in shared.chain.indices.reversed()
    where shared.chain[index] != CollectedOperations.none {
      incoming.entries.append(entry(links[Int(shared.chain[index])], of: insert, &shared))
    }
    return incoming
  }

  /// Whether something of the same document that came later covers an operation for good, and all
  /// that it covers itself: then the document is the same as if it had never come.
  ///
  /// Else what comes before may be covered by it.
  private func isCovered(_ number: UInt32, _ shared: inout Shared) -> Bool {
    let link = links[Int(number)]
    guard link.kind.cover == .path else { return false }
    // Inserts stay, since edits that came before them show with them.
    if link.insert != CollectedOperations.none, link.kind.carriesValue {
      for later in shared.coverers {
        let coverer = links[Int(later)]
        guard coverer.path == link.path || coverer.path == root else { continue }
        if coverer.transaction == link.transaction
          || contexts.covers(headers[Int(coverer.transaction)], headers[Int(link.transaction)])
        {
          return true
        }
      }
    }
    if shared.coverers.count < Self.mostCoverers { shared.coverers.append(number) }
    return false
  }

  /// More are not looked at for each operation.
  private static let mostCoverers = 64

  /// - parameter own: The insert that the document's chain tells.
  private func entry(
    _ link: CollectedOperations.Link, of own: Dot, _ shared: inout Shared
  ) -> Entry {
    let stamp = headers[Int(link.transaction)].stamp(at: link.place)
    let insert =
      switch link.insert {
      case CollectedOperations.none: stamp.dot
      case CollectedOperations.own: own
      default: inserts[Int(link.insert)]
      }
    return Entry(
      effect: DocumentState.Effect(
        path: path(link.path, &shared), kind: link.kind, payload: payload(link, shared),
        insert: insert),
      stamp: stamp, context: context(of: link.transaction, &shared))
  }

  private func context(of transaction: UInt32, _ shared: inout Shared) -> Context {
    if let (known, seen) = shared.context, known == transaction { return seen }
    let header = headers[Int(transaction)]
    let seen = header.seen(beside: contexts[header.context])
    shared.context = (transaction, seen)
    return seen
  }

  private func path(_ number: UInt32, _ shared: inout Shared) -> Path {
    let number = Int(number)
    // Those that came first are what nearly all have.
    guard number < Self.fewPaths else { return paths[number] }
    if shared.paths.isEmpty {
      shared.paths = Array(repeating: nil, count: min(paths.count, Self.fewPaths))
    }
    if let known = shared.paths[number] { return known }
    let path = Path(unchecked: paths[number].bytes.map(\.self))
    shared.paths[number] = path
    return path
  }

  private static let fewPaths = 64

  private func payload(_ link: CollectedOperations.Link, _ shared: Shared) -> [UInt8] {
    let start = Int(link.payload.start)
    switch link.payload.count {
    case 0: return []
    case 1 where payloads[start] <= 2: return shared.constants[Int(payloads[start])]
    default: return Array(payloads[start..<start + Int(link.payload.count)])
    }
  }
}
