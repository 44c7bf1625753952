import SystemPackage

extension InMemoryFileSystem {
  package func status(of path: FilePath) throws(FileError) -> FileStatus {
    try run { (state) throws(FileError) in
      try state.faults.enter(.status, path)
      let number = try state.find(.status, path)
      guard let status = state.tree.status(of: number) else {
        throw FileError(.status, path, .noSuchFileOrDirectory)
      }
      return status
    }
  }

  package func list(_ directory: FilePath) throws(FileError) -> [DirectoryEntry] {
    try run { (state) throws(FileError) in
      try state.faults.enter(.list, directory)
      let number = try state.findDirectory(.list, directory, followingLast: false)
      let entries = state.tree.nodes[number]?.entries ?? [:]
      return entries.keys.sortedByBytes().map { name in
        let node = entries[name].flatMap { state.tree.nodes[$0] }
        return DirectoryEntry(name: name, kind: node?.kind ?? .unknown)
      }
    }
  }

  package func contents(of path: FilePath, limit: Int) throws(FileError) -> FileContents {
    try run { (state) throws(FileError) in
      let (number, before) = try state.openFile(path)
      try state.faults.enter(.read, path)
      let content = state.tree.nodes[number]?.content ?? []
      guard content.count <= limit else { throw FileError(.read, path, .fileTooLarge) }
      state.deliverArriving(to: number)
      let after = state.tree.status(of: number) ?? before
      return FileContents(bytes: content, statusBefore: before, status: after)
    }
  }

  package func makeDirectory(_ path: FilePath, mode: UInt32) throws(FileError) {
    try run { (state) throws(FileError) in
      try state.faults.enter(.makeDirectory, path, mutates: true)
      let (directory, name) = try state.findFree(.makeDirectory, path)
      let time = state.now()
      let node = state.tree.makeNode(
        InMemoryNode(kind: .directory, mode: mode & ~state.umask, time: time))
      state.tree.setEntry(name, in: directory, to: node, time: time)
    }
  }

  package func synchronizeDirectory(_ directory: FilePath) throws(FileError) {
    try run { (state) throws(FileError) in
      try state.faults.enter(.synchronizeDirectory, directory, mutates: true)
      let number = try state.findDirectory(.synchronizeDirectory, directory, followingLast: true)
      if state.features.synchronizes { state.tree.synchronizeEntries(of: number) }
    }
  }

  package func remove(_ path: FilePath) throws(FileError) {
    try run { (state) throws(FileError) in
      try state.faults.enter(.remove, path, mutates: true)
      let number = try state.find(.remove, path)
      guard state.tree.nodes[number]?.kind != .directory else {
        throw FileError(.remove, path, .isDirectory)
      }
      try state.removeName(path)
    }
  }

  package func removeDirectory(_ path: FilePath) throws(FileError) {
    try run { (state) throws(FileError) in
      try state.faults.enter(.remove, path, mutates: true)
      let number = try state.findDirectory(.remove, path, followingLast: false)
      guard state.tree.nodes[number]?.entries.isEmpty == true else {
        throw FileError(.remove, path, .directoryNotEmpty)
      }
      try state.removeName(path)
    }
  }

  package func rename(_ source: FilePath, to destination: FilePath) throws(FileError) {
    try run { (state) throws(FileError) in
      try state.faults.enter(.rename, source, mutates: true)
      try state.moveName(source, to: destination)
    }
  }

  package func makeSymbolicLink(_ path: FilePath, to target: FilePath) throws(FileError) {
    try run { (state) throws(FileError) in
      try state.faults.enter(.link, path, mutates: true)
      let (directory, name) = try state.findFree(.link, path)
      let time = state.now()
      var node = InMemoryNode(kind: .symbolicLink, mode: 0o777, time: time)
      node.target = target
      state.tree.setEntry(name, in: directory, to: state.tree.makeNode(node), time: time)
    }
  }

  package func kind(of path: FilePath) throws(FileError) -> FileSystemKind {
    try run { (state) throws(FileError) in
      try state.faults.enter(.fileSystemKind, path)
      _ = try state.find(.fileSystemKind, path, followingLast: true)
      let trail = try state.locate(.fileSystemKind, path, followingLast: true).trail
      return trail.compactMap { state.tree.nodes[$0.node]?.fileSystemKind }.last ?? .local
    }
  }

  /// Only a folder made read-only or a planned fault is refused: the fake has no users.
  package func checkWriting(to directory: FilePath) throws(FileError) {
    try run { (state) throws(FileError) in
      try state.faults.enter(.access, directory, mutates: true)
      _ = try state.findDirectory(.access, directory, followingLast: true)
    }
  }

  package func hasAccessList(_ path: FilePath) -> Bool { false }

  package func canonicalPath(of path: FilePath) throws(FileError) -> FilePath {
    try run { (state) throws(FileError) in
      try state.faults.enter(.canonicalPath, path)
      _ = try state.find(.canonicalPath, path, followingLast: true)
      let trail = try state.locate(.canonicalPath, path, followingLast: true).trail
      return trail.reduce(into: FilePath("/")) { path, step in
        if let name = step.name { path.append(name) }
      }
    }
  }

  package func linkTarget(of path: FilePath) throws(FileError) -> FilePath {
    try run { (state) throws(FileError) in
      try state.faults.enter(.canonicalPath, path)
      let number = try state.find(.canonicalPath, path)
      guard let node = state.tree.nodes[number], node.kind == .symbolicLink else {
        throw FileError(.canonicalPath, path, .invalidArgument)
      }
      return node.target
    }
  }
}

extension InMemoryState {
  /// Lets the rest of a file arrive that was growing while it was read.
  mutating func deliverArriving(to number: UInt64) {
    guard let bytes = tree.nodes[number]?.arriving, !bytes.isEmpty else { return }
    let time = now()
    tree.nodes[number]?.arriving = []
    tree.nodes[number]?.content += bytes
    tree.nodes[number]?.modified = time
    tree.nodes[number]?.changed = time
  }

  mutating func removeName(_ path: FilePath) throws(FileError) {
    let location = try locate(.remove, path)
    guard let name = location.name else { throw FileError(.remove, path, .resourceBusy) }
    tree.setEntry(name, in: location.directory, to: nil, time: now())
  }

  /// Renames, replacing a file or an empty directory, as `rename(2)` does.
  mutating func moveName(_ source: FilePath, to destination: FilePath) throws(FileError) {
    let node = try find(.rename, source)
    let from = try locate(.rename, source)
    let target = try locate(.rename, destination)
    guard let oldName = from.name, let newName = target.name else {
      throw FileError(.rename, source, .resourceBusy)
    }
    if target.trail.contains(where: { $0.node == node }), target.node != node {
      throw FileError(.rename, source, .invalidArgument)
    }
    if let replaced = target.node {
      // Two names of one file: rename(2) does nothing and reports success.
      if replaced == node { return }
      try checkReplacing(replaced, by: node, destination)
    }
    let time = now()
    tree.setEntry(newName, in: target.directory, to: node, time: time)
    tree.setEntry(oldName, in: from.directory, to: nil, time: time)
    if tree.nodes[node]?.kind == .directory, from.directory == target.directory {
      let move = InMemoryNode.Move(node: node, from: oldName, to: newName)
      tree.nodes[from.directory]?.moves.append(move)
    }
  }

  private func checkReplacing(
    _ replaced: UInt64, by node: UInt64, _ path: FilePath
  ) throws(FileError) {
    let isDirectory = tree.nodes[node]?.kind == .directory
    guard let target = tree.nodes[replaced] else { return }
    if target.kind == .directory, !isDirectory { throw FileError(.rename, path, .isDirectory) }
    if target.kind != .directory, isDirectory { throw FileError(.rename, path, .notDirectory) }
    if !target.entries.isEmpty { throw FileError(.rename, path, .directoryNotEmpty) }
  }
}
