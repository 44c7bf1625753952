extension InMemoryFileSystem {
  /// Loses power, and starts again with what the disk holds.
  ///
  /// Each name that changed since its directory was synchronized stands for anything that it has
  /// stood for since then: POSIX promises no order among names, and no more for a rename. Of bytes
  /// written since their file was synchronized, all, none or a part remains, or the file has its
  /// size but zeros in places. Whatever was synchronized is kept.
  package func powerLoss(using generator: inout some RandomNumberGenerator) {
    // The lock's closure may not capture an inout parameter.
    var copy = state.withLock { $0 }
    copy.losePower(using: &generator)
    state.withLock { $0 = copy }
  }
}

extension InMemoryState {
  mutating func losePower(using generator: inout some RandomNumberGenerator) {
    for number in tree.nodes.keys.sorted() {
      guard var node = tree.nodes[number] else { continue }
      node.loseNames(using: &generator)
      node.loseBytes(using: &generator)
      tree.nodes[number] = node
    }
    endProcess()
    tree.recountLinks()
    collectGarbage()
  }
}

extension InMemoryNode {
  fileprivate mutating func loseNames(using generator: inout some RandomNumberGenerator) {
    for name in unsynced.keys.sortedByBytes() {
      let choices = [syncedEntries[name]] + (unsynced[name] ?? [])
      entries[name] = choices[Int.random(in: choices.indices, using: &generator)]
    }
    settleMoves(using: &generator)
    syncedEntries = entries
    unsynced = [:]
    moves = []
  }

  /// A directory has its old name or its new one: nobody could make up for one that has none, and
  /// file systems with a journal rename at once.
  private mutating func settleMoves(using generator: inout some RandomNumberGenerator) {
    for move in moves {
      let names = entries.filter { $0.value == move.node }.keys.sortedByBytes()
      // One that was made since may be gone altogether.
      let wasOnDisk = syncedEntries.values.contains(move.node)
      let free = wasOnDisk ? [move.from, move.to].filter { entries[$0] == nil } : []
      let kept = (names.isEmpty ? free : names).randomElement(using: &generator)
      for name in names where name != kept { entries[name] = nil }
      if let kept { entries[kept] = move.node }
    }
  }

  fileprivate mutating func loseBytes(using generator: inout some RandomNumberGenerator) {
    guard syncedCount < content.count else { return }
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: break
    case 1: content = Array(content.prefix(syncedCount))
    case 2:
      let count = Int.random(in: syncedCount...content.count, using: &generator)
      content = Array(content.prefix(count))
    default: loseSectors(using: &generator)
    }
    syncedCount = content.count
  }

  /// Zeroes some of the 512-byte pieces that were not synchronized.
  private mutating func loseSectors(using generator: inout some RandomNumberGenerator) {
    var start = syncedCount
    while start < content.count {
      let end = min(content.count, (start / 512 + 1) * 512)
      if Bool.random(using: &generator) {
        for index in start..<end { content[index] = 0 }
      }
      start = end
    }
  }
}

extension InMemoryTree {
  /// Counts names anew, and forgets what no path from the root leads to.
  ///
  /// A directory that was moved may now have its old name and its new one. It keeps the one found
  /// first, as a file system check would have it, since a directory inside itself has no end.
  fileprivate mutating func recountLinks() {
    for number in nodes.keys { nodes[number]?.links = 0 }
    var found: Set<UInt64> = [Self.root]
    var waiting = [Self.root]
    while let number = waiting.popLast() {
      let entries = nodes[number]?.entries ?? [:]
      for name in entries.keys.sortedByBytes() {
        guard let child = entries[name] else { continue }
        let isDirectory = nodes[child]?.kind == .directory
        if found.insert(child).inserted {
          waiting.append(child)
        } else if isDirectory {
          nodes[number]?.entries[name] = nil
          nodes[number]?.syncedEntries[name] = nil
          continue
        }
        nodes[child]?.links += 1
      }
    }
    nodes = nodes.filter { found.contains($0.key) }
  }
}
