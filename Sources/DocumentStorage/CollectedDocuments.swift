import CanonicalJSON
import Replication

/// Documents with the operations that were collected for them.
///
/// One object, since several threads look at it for each document.
final class CollectedDocuments: Sendable {
  typealias Entry = DocumentState.Entry

  private let order: [Int]
  let keys: DocumentKeys
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
    order: [Int], keys: DocumentKeys, chains: [CollectedOperations.Chain],
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

  /// A document's number in ``keys``, by its place in their order.
  func number(at place: Int) -> Int { order[place] }

  /// What the operations of several documents have in common, made by the thread that looks at
  /// these: to count references to what others have too takes longer than to make it.
  struct Shared {
    fileprivate var paths: [Path?] = []
    /// That of the transaction which came last.
    fileprivate var context: (transaction: UInt32, seen: Context)?
    /// Those that may cover what comes before them.
    fileprivate var coverers: [(path: UInt32, transaction: UInt32, mark: SeenContexts.Mark)] = []
    /// The operations of the documents in hand, by their numbers, each document's in their order,
    /// the marks of their transactions, and where those of each document end.
    fileprivate var chains: (links: [UInt32], marks: [SeenContexts.Mark], ends: [Int]) =
      ([], [], [])
    /// Which documents these are.
    fileprivate let range: Range<Int>

    fileprivate init(of range: Range<Int>) { self.range = range }

    /// Where the operations of a document stand in the chains.
    fileprivate func links(at place: Int) -> Range<Int> {
      let index = place - range.lowerBound
      return (index == 0 ? 0 : chains.ends[index - 1])..<chains.ends[index]
    }
  }

  /// Finds out which operations belong to some documents that follow one another.
  ///
  /// The chains of all are followed at once, a step each: where links lie far from one another,
  /// each step waits for the memory, and so they wait together.
  func shared(by range: Range<Int>) -> Shared {
    var shared = Shared(of: range)
    // What is still to be followed: which comes next, and the place it gets.
    var rest: [(link: UInt32, place: Int)] = []
    var end = 0
    for place in range {
      let chain = chains[order[place]]
      end += Int(chain.count)
      shared.chains.ends.append(end)
      if chain.count > 0 { rest.append((chain.last, end - 1)) }
    }
    shared.chains.links = Array(repeating: 0, count: end)
    shared.chains.marks = Array(repeating: .none, count: end)
    while !rest.isEmpty {
      var kept = 0
      for index in rest.indices {
        let (link, place) = rest[index]
        shared.chains.links[place] = link
        shared.chains.marks[place] = contexts.marks[Int(links[Int(link)].transaction)]
        let previous = links[Int(link)].previous
        guard previous != CollectedOperations.none else { continue }
        rest[kept] = (previous, place - 1)
        kept += 1
      }
      rest.removeSubrange(kept...)
    }
    return shared
  }

  /// What comes to a document.
  struct Incoming {
    /// In the order in which it came, but for what is covered by what came later.
    var entries: [Entry] = []
    /// That, by where it would have shown, and whose it is.
    var covered: [(path: Path, stream: StreamID)] = []
    var count: Int { entries.count + covered.count }
  }

  /// What comes to a document, in the place of what came to another.
  ///
  /// - parameter shared: That of it and those beside it; each is read once.
  func read(_ incoming: inout Incoming, at place: Int, _ shared: inout Shared) {
    incoming.entries.removeAll(keepingCapacity: true)
    incoming.covered.removeAll(keepingCapacity: true)
    let insert = chains[order[place]].insert
    let range = shared.links(at: place)
    shared.coverers.removeAll(keepingCapacity: true)
    if range.count > 1 {
      // The last first: what covers comes later.
      for index in range.reversed() where isCovered(at: index, &shared) {
        let link = links[Int(shared.chains.links[index])]
        let stream = contexts.stream(of: shared.chains.marks[index])
        incoming.covered.append((path(link.path, &shared), stream))
        shared.chains.links[index] = CollectedOperations.none
      }
    }
    for index in range where shared.chains.links[index] != CollectedOperations.none {
      incoming.entries.append(entry(links[Int(shared.chains.links[index])], of: insert, &shared))
    }
  }

  /// Whether something of the same document that came later covers an operation for good, and all
  /// that it covers itself: then the document is the same as if it had never come.
  ///
  /// Else what comes before may be covered by it.
  ///
  /// - parameter place: Where the operation stands in the chains.
  private func isCovered(at place: Int, _ shared: inout Shared) -> Bool {
    let link = links[Int(shared.chains.links[place])]
    guard link.kind.cover == .path else { return false }
    // Inserts stay, since edits that came before them show with them.
    if link.insert != CollectedOperations.none, link.kind.carriesValue {
      // By place: an iterator would count references.
      for index in shared.coverers.indices {
        let coverer = shared.coverers[index]
        guard coverer.path == link.path || coverer.path == root else { continue }
        if coverer.transaction == link.transaction
          || contexts.covers(coverer.mark, shared.chains.marks[place])
        {
          return true
        }
      }
    }
    if shared.coverers.count < Self.mostCoverers {
      shared.coverers.append((link.path, link.transaction, shared.chains.marks[place]))
    }
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
        path: path(link.path, &shared), kind: link.kind, payload: payload(link),
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
    // Of those that are counted, those that came first are what nearly all have.
    guard number < Self.fewPaths, !paths[number].bytes.isInPlace else { return paths[number] }
    if shared.paths.isEmpty {
      shared.paths = Array(repeating: nil, count: min(paths.count, Self.fewPaths))
    }
    if let known = shared.paths[number] { return known }
    let path = Path(unchecked: paths[number].bytes.map(\.self))
    shared.paths[number] = path
    return path
  }

  private static let fewPaths = 64

  private func payload(_ link: CollectedOperations.Link) -> SmallBytes {
    let start = Int(link.payload.start)
    return SmallBytes(copying: payloads, start..<start + Int(link.payload.count))
  }
}
