import SystemPackage

/// The nodes of the fake and the names that lead to them, without faults.
struct InMemoryTree: Sendable {
  /// Where a path leads: the directory and name it ends in, and what stands there.
  struct Location {
    /// The name in its directory; nil for the root.
    var name: FilePath.Component?
    var directory: UInt64
    var node: UInt64?

    /// The directories passed, without links.
    var trail: [(node: UInt64, name: FilePath.Component?)]
  }

  static let root: UInt64 = 1

  private(set) var nextNumber: UInt64 = 2
  var nodes: [UInt64: InMemoryNode] = [
    root: InMemoryNode(kind: .directory, mode: 0o755, time: 0)
  ]

  /// Makes a node that has no name yet.
  mutating func makeNode(_ node: InMemoryNode) -> UInt64 {
    defer { nextNumber += 1 }
    nodes[nextNumber] = node
    return nextNumber
  }

  /// Makes a name stand for a node, or for nothing.
  mutating func setEntry(
    _ name: FilePath.Component, in directory: UInt64, to node: UInt64?, time: Int64
  ) {
    if let old = nodes[directory]?.entries[name] {
      nodes[old]?.links -= 1
      nodes[old]?.changed = time
    }
    nodes[directory]?.entries[name] = node
    nodes[directory]?.unsynced[name, default: []].append(node)
    nodes[directory]?.modified = time
    nodes[directory]?.changed = time
    if let node {
      nodes[node]?.links += 1
      nodes[node]?.changed = time
    }
  }

  /// Puts the names of a directory on the disk.
  mutating func synchronizeEntries(of directory: UInt64) {
    guard let entries = nodes[directory]?.entries else { return }
    nodes[directory]?.syncedEntries = entries
    nodes[directory]?.unsynced = [:]
    nodes[directory]?.moves = []
  }

  /// Follows a path from the root; only its last name may be missing.
  func locate(_ path: FilePath, followingLast: Bool) throws(Errno) -> Location {
    var trail: [(node: UInt64, name: FilePath.Component?)] = [(Self.root, nil)]
    var rest = path.components[...]
    var hops = 0
    while let name = rest.popFirst() {
      let directory = trail[trail.count - 1].node
      guard nodes[directory]?.kind == .directory else { throw .notDirectory }
      guard name.kind == .regular else {
        if name.kind == .parentDirectory, trail.count > 1 { trail.removeLast() }
        continue
      }
      guard let child = try child(name, of: directory) else {
        guard rest.isEmpty else { throw .noSuchFileOrDirectory }
        return Location(name: name, directory: directory, node: nil, trail: trail)
      }
      if followingLast || !rest.isEmpty, let target = linkTarget(of: child) {
        // 40 is where path_resolution(7) gives up.
        hops += 1
        guard hops <= 40 else { throw .tooManySymbolicLinkLevels }
        if target.isAbsolute { trail = [(Self.root, nil)] }
        rest = FilePath(root: nil, Array(target.components) + Array(rest)).components[...]
      } else {
        trail.append((child, name))
      }
    }
    let last = trail[trail.count - 1]
    let directory = trail.count > 1 ? trail[trail.count - 2].node : Self.root
    return Location(name: last.name, directory: directory, node: last.node, trail: trail)
  }

  /// What a name stands for in a directory; nil for nothing.
  private func child(
    _ name: FilePath.Component, of directory: UInt64
  ) throws(Errno) -> UInt64? {
    guard nodes[directory]?.isRefused == false else { throw .permissionDenied }
    return nodes[directory]?.entries[name]
  }

  private func linkTarget(of node: UInt64) -> FilePath? {
    nodes[node]?.kind == .symbolicLink ? nodes[node]?.target : nil
  }

  /// What `lstat(2)` would say about a node.
  func status(of number: UInt64) -> FileStatus? {
    nodes[number].map {
      FileStatus(
        kind: $0.kind, size: Int64($0.size), modified: $0.modified, changed: $0.changed,
        inode: number, device: 1, links: $0.links, mode: $0.mode,
        owner: $0.owner, group: $0.group)
    }
  }
}

extension Sequence<FilePath.Component> {
  /// In the order of their bytes: a dictionary's own order differs from run to run.
  func sortedByBytes() -> [FilePath.Component] {
    map { ($0, $0.bytes) }
      .sorted { $0.1.lexicographicallyPrecedes($1.1) }
      .map(\.0)
  }
}
