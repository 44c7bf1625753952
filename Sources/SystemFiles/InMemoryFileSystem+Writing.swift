import SystemPackage

extension InMemoryFileSystem {
  package func createTemporary(
    in directory: FilePath, fallbackName: FilePath.Component, mode: UInt32
  ) throws(FileError) -> TemporaryFile {
    try run { (state) throws(FileError) in
      try state.faults.enter(.create, directory, mutates: true)
      let parent = try state.findDirectory(.create, directory, followingLast: true)
      let isNamed = !state.features.namelessFiles
      let time = state.now()
      if isNamed { _ = try state.findFree(.create, directory.appending(fallbackName)) }
      let node = state.tree.makeNode(
        InMemoryNode(kind: .regular, mode: mode & ~state.umask, time: time))
      if isNamed { state.tree.setEntry(fallbackName, in: parent, to: node, time: time) }
      let handle = state.takeNumber()
      state.handles[handle] = InMemoryState.Handle(node: node)
      return TemporaryFile(
        handle: handle, directory: directory, fallbackName: fallbackName, isNamed: isNamed)
    }
  }

  package func write(_ bytes: [UInt8], to file: TemporaryFile) throws(FileError) {
    try run { (state) throws(FileError) in
      let wasDead = state.faults.isDead
      do throws(FileError) {
        try state.faults.enter(.write, file.path, mutates: true)
      } catch {
        // The kernel may have taken a part of the bytes when the process dies.
        if state.faults.isDead, !wasDead, let node = state.handles[file.handle]?.node {
          state.append(bytes.prefix(bytes.count / 2), to: node)
        }
        throw error
      }
      let node = try state.node(.write, of: file)
      let fitting = bytes.prefix(state.room())
      state.append(fitting, to: node)
      guard fitting.count == bytes.count else { throw FileError(.write, file.path, .noSpace) }
    }
  }

  package func setMode(_ mode: UInt32, of file: TemporaryFile) throws(FileError) {
    try run { (state) throws(FileError) in
      try state.faults.enter(.changeMode, file.path, mutates: true)
      let node = try state.node(.changeMode, of: file)
      state.tree.nodes[node]?.mode = mode
    }
  }

  package func synchronize(_ file: TemporaryFile) throws(FileError) {
    try run { (state) throws(FileError) in
      try state.faults.enter(.synchronize, file.path, mutates: true)
      let node = try state.node(.synchronize, of: file)
      guard state.features.synchronizes else { return }
      let count = state.tree.nodes[node]?.content.count ?? 0
      state.tree.nodes[node]?.syncedCount = count
    }
  }

  /// Gives the file its name through the chain of calls that the real file system goes down.
  ///
  /// Unlike the real one it does not copy a nameless file that cannot be linked.
  package func place(_ file: TemporaryFile, at path: FilePath) throws(FileError) {
    try run { (state) throws(FileError) in
      if file.isNamed {
        try state.placeNamed(file, at: path)
      } else {
        try state.linkNode(of: file, at: path)
      }
      state.handles[file.handle] = nil
    }
  }

  package func discard(_ file: TemporaryFile) {
    state.withLock { state in
      guard state.handles.removeValue(forKey: file.handle) != nil, file.isNamed else { return }
      // As with the real one, a name that cannot be removed stays behind.
      guard (try? state.faults.enter(.remove, file.path, mutates: true)) != nil else { return }
      try? state.removeName(file.fallbackPath)
    }
  }

  /// Locks a file; one that is waited for and taken is `.deadlock`, since the fake never blocks.
  package func lock(
    _ path: FilePath, exclusive: Bool, wait: Bool, holder: [UInt8]
  ) throws(FileError) -> FileLock {
    let number = try run { (state) throws(FileError) in
      try state.faults.enter(.lock, path, mutates: true)
      let node = try state.findOrCreateLockFile(path)
      let isTaken = state.locks.values.contains {
        $0.node == node && ($0.isExclusive || exclusive)
      }
      guard !isTaken else {
        throw FileError(.lock, path, wait ? .deadlock : .resourceTemporarilyUnavailable)
      }
      let number = state.takeNumber()
      state.locks[number] = InMemoryState.Lock(node: node, isExclusive: exclusive)
      if exclusive { state.tree.nodes[node]?.content = holder }
      return number
    }
    return FileLock { [weak self] in
      self?.state.withLock { state in
        guard let lock = state.locks.removeValue(forKey: number) else { return }
        if lock.isExclusive { state.tree.nodes[lock.node]?.content = [] }
      }
    }
  }
}

extension InMemoryState {
  mutating func append(_ bytes: ArraySlice<UInt8>, to node: UInt64) {
    let time = now()
    tree.nodes[node]?.content += bytes
    tree.nodes[node]?.modified = time
    tree.nodes[node]?.changed = time
  }

  mutating func linkNode(of file: TemporaryFile, at path: FilePath) throws(FileError) {
    try faults.enter(.link, path, mutates: true)
    let node = try node(.link, of: file)
    let (directory, name) = try findFree(.link, path)
    tree.setEntry(name, in: directory, to: node, time: now())
  }

  mutating func placeNamed(_ file: TemporaryFile, at path: FilePath) throws(FileError) {
    do throws(FileError) {
      return try renameExclusively(file, to: path, supported: features.exclusiveRename)
    } catch {
      guard error.errno.meansUnsupported else { throw error }
    }
    do throws(FileError) {
      guard features.links else { throw FileError(.link, path, .notPermitted) }
      try linkNode(of: file, at: path)
      try faults.enter(.remove, file.path, mutates: true)
      return try removeName(file.path)
    } catch {
      // The link is made: a temporary name left behind is no failure, unless the process died.
      if error.operation == .remove, error.errno != .killed { return }
      guard error.errno.meansUnsupported else { throw error }
    }
    // What looks first and renames then is, but for a race that has no place here, the same.
    try renameExclusively(file, to: path, supported: true)
  }

  private mutating func renameExclusively(
    _ file: TemporaryFile, to path: FilePath, supported: Bool
  ) throws(FileError) {
    guard supported else { throw FileError(.rename, path, .invalidArgument) }
    try faults.enter(.rename, path, mutates: true)
    _ = try findFree(.rename, path)
    try moveName(file.path, to: path)
  }

  mutating func findOrCreateLockFile(_ path: FilePath) throws(FileError) -> UInt64 {
    let location = try locate(.lock, path)
    if let node = location.node { return node }
    let (directory, name) = try findFree(.lock, path)
    let time = now()
    let node = tree.makeNode(InMemoryNode(kind: .regular, mode: 0o600, time: time))
    tree.setEntry(name, in: directory, to: node, time: time)
    return node
  }
}
