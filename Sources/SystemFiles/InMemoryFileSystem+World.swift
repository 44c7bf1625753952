import SystemPackage

// What a test, a user or a syncer does to the files, behind the back of the program under test:
// no fault applies, a dead process is no obstacle, and everything is on the disk at once.
extension InMemoryFileSystem {
  /// Puts a regular file there with these bytes, making the directories above it.
  ///
  /// What stood there is replaced, by a new inode, as a syncer does it. Nothing happens where a
  /// directory has the name, or a file stands where a directory is needed.
  package func put(_ path: FilePath, _ bytes: [UInt8], modified: Int64? = nil) {
    place(path) { time in
      var node = InMemoryNode(kind: .regular, mode: 0o644, time: modified ?? time)
      node.changed = time
      node.content = bytes
      node.syncedCount = bytes.count
      return node
    }
  }

  /// Puts a directory there, and those above it, unless something has the name.
  package func putDirectory(_ path: FilePath) {
    state.withLock { state in _ = state.makeDirectories(path) }
  }

  /// Puts a symbolic link there.
  package func putLink(_ path: FilePath, to target: FilePath) {
    place(path) { time in
      var node = InMemoryNode(kind: .symbolicLink, mode: 0o777, time: time)
      node.target = target
      return node
    }
  }

  /// Puts something there that is no file: a FIFO, a socket, a device.
  package func putSpecial(_ path: FilePath, kind: FileKind) {
    place(path) { InMemoryNode(kind: kind, mode: 0o644, time: $0) }
  }

  /// Removes what stands there, with all that is in it.
  package func removeTree(_ path: FilePath) {
    state.withLock { state in
      guard let location = try? state.tree.locate(path, followingLast: false),
        let name = location.name, location.node != nil
      else { return }
      state.tree.setEntry(name, in: location.directory, to: nil, time: state.now())
      state.tree.synchronizeEntry(name, in: location.directory)
      state.collectGarbage()
    }
  }

  /// The bytes of the regular file that stands there, if one does.
  package func bytes(at path: FilePath) -> [UInt8]? {
    state.withLock { state in
      let node = (try? state.tree.locate(path, followingLast: false).node)
        .flatMap { state.tree.nodes[$0] }
      return node?.kind == .regular ? node?.content : nil
    }
  }

  /// Cuts a file off.
  package func truncate(_ path: FilePath, to count: Int) {
    change(path) { node, time in
      node.content = Array(node.content.prefix(count))
      node.syncedCount = min(node.syncedCount, node.content.count)
      node.modified = time
    }
  }

  /// Lets a file grow.
  package func append(_ bytes: [UInt8], to path: FilePath) {
    change(path) { node, time in
      node.content += bytes
      node.syncedCount = node.content.count
      node.modified = time
    }
  }

  /// Replaces a file's bytes where they stand, within a tick of its file system's clock: nothing
  /// else about it changes.
  package func fill(_ path: FilePath, with bytes: [UInt8]) {
    state.withLock { state in
      guard let number = try? state.tree.locate(path, followingLast: false).node else { return }
      state.tree.nodes[number]?.content = bytes
      state.tree.nodes[number]?.syncedCount = bytes.count
    }
  }

  /// Lets a file grow while it is next read: after its bytes were read, before it is closed.
  package func appendDuringNextRead(_ bytes: [UInt8], to path: FilePath) {
    change(path) { node, _ in node.arriving += bytes }
  }

  /// Refuses whoever opens this file, or this directory and all below it, or no longer does.
  package func setRefused(_ isRefused: Bool, _ path: FilePath) {
    change(path) { node, _ in node.isRefused = isRefused }
  }

  /// Makes a file another user's, with a mode; nobody is refused for it.
  package func setOwner(_ owner: UInt32, group: UInt32, mode: UInt32, _ path: FilePath) {
    change(path) { node, _ in
      node.owner = owner
      node.group = group
      node.mode = mode
    }
  }

  /// Sets when a file was last changed, as a syncer does that keeps times.
  package func setModified(_ time: Int64, _ path: FilePath) {
    change(path) { node, _ in node.modified = time }
  }

  /// Pretends that another file system is mounted on a directory.
  package func setKind(_ kind: FileSystemKind?, _ path: FilePath) {
    change(path) { node, _ in node.fileSystemKind = kind }
  }

  private func change(_ path: FilePath, _ body: (inout InMemoryNode, Int64) -> Void) {
    state.withLock { state in
      guard let number = try? state.tree.locate(path, followingLast: false).node,
        var node = state.tree.nodes[number]
      else { return }
      let time = state.now()
      body(&node, time)
      node.changed = time
      state.tree.nodes[number] = node
    }
  }

  private func place(_ path: FilePath, _ make: (Int64) -> InMemoryNode) {
    state.withLock { state in
      guard let name = path.lastComponent, let directory = state.makeDirectories(path.parent)
      else { return }
      if let old = state.tree.nodes[directory]?.entries[name],
        state.tree.nodes[old]?.kind == .directory
      {
        return
      }
      let time = state.now()
      let node = state.tree.makeNode(make(time))
      state.tree.setEntry(name, in: directory, to: node, time: time)
      state.tree.synchronizeEntry(name, in: directory)
    }
  }
}

extension InMemoryTree {
  /// Puts one name of a directory on the disk, and no other.
  mutating func synchronizeEntry(_ name: FilePath.Component, in directory: UInt64) {
    guard let node = nodes[directory] else { return }
    nodes[directory]?.syncedEntries[name] = node.entries[name]
    nodes[directory]?.unsynced[name] = nil
  }
}

extension InMemoryState {
  /// Makes the directories that are missing on the way, all on the disk at once.
  mutating func makeDirectories(_ path: FilePath) -> UInt64? {
    var done = FilePath("/")
    for name in path.components {
      done.append(name)
      guard let location = try? tree.locate(done, followingLast: true) else { return nil }
      guard location.node == nil, let name = location.name else { continue }
      let time = now()
      let node = tree.makeNode(InMemoryNode(kind: .directory, mode: 0o755, time: time))
      tree.setEntry(name, in: location.directory, to: node, time: time)
      tree.synchronizeEntry(name, in: location.directory)
    }
    guard let number = try? tree.locate(done, followingLast: true).node,
      tree.nodes[number]?.kind == .directory
    else { return nil }
    return number
  }
}
