import CanonicalJSON

/// What a reader of a document had seen, so that a later write can say what it changes
/// (protocol.md 16).
///
/// It holds the context of the read and, for each path shown, a digest of the path and of what it
/// showed: enough to tell what the writer changed, and no copy of the document.
package struct VersionToken: Hashable, Sendable {
  /// What may be claimed as seen.
  package let context: Context
  /// What had been applied, and what its authors had seen (``Frontier/seen``).
  ///
  /// It goes beyond `context` where something had not closed yet. It is kept here because the
  /// contexts that it is made of may be forgotten by the time the token is used.
  package let seen: Context
  /// What had been applied, and so was shown: part of `seen`.
  package let applied: Context
  /// Of each run of transactions that had not closed and of which the document had something
  /// (``Grounds``), by its last: what its author, and those of all that leads up to it, had seen,
  /// but for `context`.
  ///
  /// A removal that waits means no more than that (``EditPlan/Grounds``). Of very many there is one
  /// of each stream, for all of it.
  package let grounds: [Context.Entry: Context]
  /// The inserts that stood.
  package let inserts: [Dot]
  /// Digest of path → digest of what showed there.
  ///
  /// 0 stands for a path in conflict, 1 for an object, 2 for a set and 3 for each of its elements.
  package let nodes: [UInt64: UInt64]

  /// - parameter applied: nil for `seen`, as in a token of an older version.
  package init(
    context: Context, seen: Context, applied: Context? = nil,
    grounds: [Context.Entry: Context] = [:], inserts: [Dot], nodes: [UInt64: UInt64]
  ) {
    self.context = context
    self.seen = seen
    self.applied = applied ?? seen
    self.grounds = grounds
    self.inserts = inserts
    self.nodes = nodes
  }

  /// The token of what `view`, that of `state`, shows; nil if the document is absent.
  ///
  /// - parameter seen: as that of a plan of a write.
  package init?(
    of view: DocumentView, in state: DocumentState, frontier: Frontier, seen: Context? = nil,
    digest: Digest
  ) {
    guard let root = view.root else { return nil }
    var nodes: [UInt64: UInt64] = [:]
    for node in root.subtree {
      nodes[digest.of(node.path)] =
        switch node.content {
        case _ where node.isConflicted || node.isUnfounded: Self.conflicted
        case .object: Self.object
        case .set: Self.set
        case .leaf(let leaf), .counter(let leaf): digest.of(leaf)
        }
      guard case .set(let elements) = node.content else { continue }
      for element in elements { nodes[digest.of(node.path.appending(element.key))] = Self.element }
    }
    if view.hasUndoneDelete { nodes[digest.of(.root)] = Self.conflicted }
    self.init(
      context: frontier.closed, seen: seen ?? frontier.seen, applied: frontier.applied,
      grounds: state.grounds(frontier), inserts: view.inserts.map(\.dot), nodes: nodes)
  }

  /// A token is an argument of commands, and made for each document that is read: more grounds than
  /// a few may name so many entries at all, and so many different ones.
  private static let fewGrounds = 64
  private static let mostNamed = 8192
  private static let mostDifferent = 1024

  /// Whether grounds would make a token too long.
  fileprivate static func isTooMuch(_ grounds: [Context.Entry: Context]) -> Bool {
    guard grounds.count > fewGrounds else { return false }
    let named = grounds.values.reduce(grounds.count) { $0 + $1.entries.count }
    guard named <= mostNamed else { return true }
    return Set(grounds.keys).union(grounds.values.flatMap(\.entries)).count > mostDifferent
  }

  static let conflicted: UInt64 = 0
  static let object: UInt64 = 1
  static let set: UInt64 = 2
  static let element: UInt64 = 3

  /// How paths and values are digested: any function of 64 well-mixed bits, given by the caller
  /// because this module has no hash of its own.
  package struct Digest: Sendable {
    private let function: @Sendable ([UInt8]) -> UInt64

    package init(_ function: @escaping @Sendable ([UInt8]) -> UInt64) { self.function = function }

    func of(_ path: Path) -> UInt64 { function(path.bytes.array) }
    // The marks are not values of the digest.
    func of(_ leaf: Leaf) -> UInt64 { max(function(leaf.bytes), VersionToken.element + 1) }
  }
}

extension DocumentState {
  /// See ``VersionToken/grounds``.
  fileprivate func grounds(_ frontier: Frontier) -> [Context.Entry: Context] {
    guard !frontier.open.isEmpty else { return [:] }
    var open: [Context.Entry: Stamp] = [:]
    for entry in entries where entry.effect.kind.carriesValue {
      let transaction = entry.stamp.transaction
      guard open[transaction] == nil, relation(of: frontier.closed, to: entry.stamp) == .none
      else { continue }
      open[transaction] = entry.stamp
    }
    var runs = Grounds(frontier)
    let grounds = open.keys.reduce(into: [:] as [Context.Entry: Context]) { grounds, transaction in
      let run = runs.run(of: transaction)
      let stamps = [open[transaction]].compactMap(\.self)
      grounds[run?.last ?? transaction] = run?.seen ?? frontier.seen(upTo: stamps)
    }
    guard VersionToken.isTooMuch(grounds) else { return grounds }
    let streams = Dictionary(grouping: open.values, by: \.dot.stream)
    return streams.values.reduce(into: [:]) { grounds, stamps in
      guard let newest = stamps.max() else { return }
      grounds[newest.transaction] = frontier.seen(upTo: stamps)
    }
  }
}

extension DocumentView.Node {
  /// Whether this is an object or a set that shows through its members alone.
  package var isUnfounded: Bool {
    switch content {
    case .object, .set: !isFounded
    case .leaf, .counter: false
    }
  }
}

/// The version of a document that a write is compared with: what its writer had seen.
struct BaseVersion {
  enum Recorded {
    case absent
    /// Must be written, whatever the new value is.
    case conflicted
    case object
    case set
    case leaf
  }

  private let nodes: [UInt64: UInt64]?
  private let digest: VersionToken.Digest
  private let present: [Path: DocumentView.Node]

  init(token: VersionToken, digest: VersionToken.Digest) {
    nodes = token.nodes
    self.digest = digest
    present = [:]
  }

  init(present view: DocumentView, digest: VersionToken.Digest) {
    nodes = nil
    self.digest = digest
    present = Dictionary(
      (view.root?.subtree ?? []).map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func recorded(at path: Path) -> Recorded {
    if let nodes {
      switch nodes[digest.of(path)] {
      case nil: return .absent
      case VersionToken.conflicted: return .conflicted
      case VersionToken.object: return .object
      case VersionToken.set: return .set
      default: return .leaf
      }
    }
    guard let node = present[path] else { return .absent }
    if node.isConflicted || node.isUnfounded { return .conflicted }
    switch node.content {
    case .object: return .object
    case .set: return .set
    case .leaf, .counter: return .leaf
    }
  }

  /// Whether the set at `path` had `element`.
  func hadElement(_ element: SetElement, of path: Path) -> Bool {
    if let nodes {
      return nodes[digest.of(path.appending(element.key))] == VersionToken.element
    }
    guard case .set(let elements) = present[path]?.content else { return false }
    return elements.contains(element)
  }

  /// Whether `leaf` may be what showed at `path`: of what was in conflict, only that is known.
  func mayHaveShown(_ leaf: Leaf, at path: Path) -> Bool {
    guard let nodes else {
      guard case .counter(let shown) = present[path]?.content else { return false }
      return shown == leaf
    }
    let node = nodes[digest.of(path)]
    return node == digest.of(leaf) || node == VersionToken.conflicted
  }

  /// Whether `leaf` is what showed at `path`.
  func showed(_ leaf: Leaf, at path: Path) -> Bool {
    if let nodes { return nodes[digest.of(path)] == digest.of(leaf) }
    switch present[path]?.content {
    case .leaf(let shown), .counter(let shown): return shown == leaf
    case .object, .set, nil: return false
    }
  }
}
