import SystemPackage

/// Everything that the fake's lock guards.
struct InMemoryState: Sendable {
  struct Handle: Sendable {
    var node: UInt64
  }

  struct Lock: Sendable {
    var node: UInt64
    var isExclusive: Bool
  }

  var tree = InMemoryTree()
  var faults = InMemoryFaults()
  var features: InMemoryFileSystem.Features
  /// The bits that new files and directories don't get.
  let umask: UInt32 = 0o022
  var handles: [Int32: Handle] = [:]
  var locks: [Int32: Lock] = [:]

  /// Numbers for handles and locks are never used again, so that a stale one is noticed.
  private var nextHandle: Int32 = 3
  private let clock: (@Sendable () -> Int64)?
  private var ticks: Int64 = 0

  init(features: InMemoryFileSystem.Features, clock: (@Sendable () -> Int64)?) {
    self.features = features
    self.clock = clock
  }

  /// The injected clock's time, or else a millisecond more than the last time.
  mutating func now() -> Int64 {
    if let clock { return clock() }
    ticks += 1_000_000
    return ticks
  }

  mutating func takeNumber() -> Int32 {
    defer { nextHandle += 1 }
    return nextHandle
  }

  /// Ends the process that used the files: its descriptors and locks are gone, the files are not.
  mutating func endProcess() {
    handles = [:]
    locks = [:]
    faults.clear()
    collectGarbage()
  }

  // MARK: Finding

  func locate(
    _ operation: FileOperation, _ path: FilePath, followingLast: Bool = false
  ) throws(FileError) -> InMemoryTree.Location {
    do throws(Errno) {
      return try tree.locate(path, followingLast: followingLast)
    } catch {
      throw FileError(operation, path, error)
    }
  }

  func find(
    _ operation: FileOperation, _ path: FilePath, followingLast: Bool = false
  ) throws(FileError) -> UInt64 {
    let location = try locate(operation, path, followingLast: followingLast)
    guard let node = location.node else {
      throw FileError(operation, path, .noSuchFileOrDirectory)
    }
    return node
  }

  func findDirectory(
    _ operation: FileOperation, _ path: FilePath, followingLast: Bool
  ) throws(FileError) -> UInt64 {
    let number = try find(operation, path, followingLast: followingLast)
    guard let node = tree.nodes[number], node.kind == .directory else {
      throw FileError(operation, path, .notDirectory)
    }
    guard !node.isRefused else { throw FileError(operation, path, .permissionDenied) }
    return number
  }

  /// A file that is opened to be read.
  mutating func openFile(
    _ path: FilePath
  ) throws(FileError) -> (number: UInt64, status: FileStatus) {
    try faults.enter(.open, path)
    let number = try find(.open, path)
    guard let node = tree.nodes[number], let status = tree.status(of: number) else {
      throw FileError(.open, path, .noSuchFileOrDirectory)
    }
    guard !node.isRefused else { throw FileError(.open, path, .permissionDenied) }
    guard node.kind == .regular else { throw .notAFile(path, found: node.kind) }
    return (number, status)
  }

  /// A name that is free, in a directory that is there.
  func findFree(
    _ operation: FileOperation, _ path: FilePath
  ) throws(FileError) -> (directory: UInt64, name: FilePath.Component) {
    let location = try locate(operation, path)
    guard location.node == nil, let name = location.name else {
      throw FileError(operation, path, .fileExists)
    }
    return (location.directory, name)
  }

  func node(
    _ operation: FileOperation, of file: TemporaryFile
  ) throws(FileError) -> UInt64 {
    guard let handle = handles[file.handle] else {
      throw FileError(operation, file.path, .badFileDescriptor)
    }
    return handle.node
  }

  // MARK: Room

  /// How many more bytes fit on the disk.
  func room() -> Int { faults.capacity.map { max(0, $0 - usedBytes()) } ?? .max }

  /// What all files with a name or a descriptor hold together.
  func usedBytes() -> Int {
    let open = Set(handles.values.map(\.node))
    return tree.nodes.reduce(0) { sum, pair in
      pair.value.links > 0 || open.contains(pair.key) ? sum + pair.value.content.count : sum
    }
  }

  /// Forgets nodes that no name, on the disk or not, and no descriptor leads to.
  mutating func collectGarbage() {
    var live: Set<UInt64> = [InMemoryTree.root]
    live.formUnion(handles.values.map(\.node))
    live.formUnion(locks.values.map(\.node))
    for node in tree.nodes.values {
      live.formUnion(node.entries.values)
      live.formUnion(node.syncedEntries.values)
      for values in node.unsynced.values { live.formUnion(values.compactMap(\.self)) }
    }
    for number in tree.nodes.keys where !live.contains(number) {
      tree.nodes[number] = nil
    }
  }
}
