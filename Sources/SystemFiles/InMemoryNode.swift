import SystemPackage

/// A file, directory, link or FIFO of the fake, under whatever names.
struct InMemoryNode: Sendable {
  var kind: FileKind
  var mode: UInt32
  var modified: Int64
  var changed: Int64

  /// Whose it is; the fake itself is root's.
  var owner: UInt32 = 0
  var group: UInt32 = 0

  /// The number of names that stand for it now.
  var links: UInt64 = 0

  /// Whether opening it, or going through it, is refused with EACCES.
  var isRefused = false

  // MARK: A regular file

  var content: [UInt8] = []

  /// How many bytes at the start are on the disk; the file system's writes only append.
  var syncedCount = 0

  /// What arrives while the file is next being read.
  var arriving: [UInt8] = []

  // MARK: A symbolic link

  var target = FilePath()

  // MARK: A directory

  var entries: [FilePath.Component: UInt64] = [:]

  /// The names that are on the disk.
  var syncedEntries: [FilePath.Component: UInt64] = [:]

  /// What each name has stood for since the directory was synchronized, nil for nothing.
  var unsynced: [FilePath.Component: [UInt64?]] = [:]
  /// Directories that were renamed within this one since their names were last on the disk.
  var moves: [Move] = []

  struct Move {
    let node: UInt64
    let from: FilePath.Component
    let to: FilePath.Component
  }

  /// What `kind(of:)` says from here downwards.
  var fileSystemKind: FileSystemKind?

  init(kind: FileKind, mode: UInt32, time: Int64) {
    self.kind = kind
    self.mode = mode
    modified = time
    changed = time
  }

  var size: Int {
    kind == .symbolicLink ? target.length : content.count
  }
}
