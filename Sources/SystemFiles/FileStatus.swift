import SystemPackage

/// What a name stands for.
package enum FileKind: String, Hashable, Sendable, CaseIterable {
  case regular
  case directory
  case symbolicLink
  case fifo
  case socket
  case device
  case other

  /// The directory did not say; only `status(of:)` can.
  case unknown
}

/// What the file system says about a file, without following a symbolic link.
package struct FileStatus: Hashable, Sendable {
  /// What the name stands for.
  package var kind: FileKind

  /// How many bytes it has, or promises to have.
  package var size: Int64

  /// When the content last changed, in nanoseconds since 1970; whoever copied the file may have
  /// set it to anything.
  package var modified: Int64

  /// When content or status last changed here, in nanoseconds since 1970.
  package var changed: Int64

  /// The number of the file on its device; FUSE may make it up.
  package var inode: UInt64

  /// The number of the mounted file system.
  package var device: UInt64

  /// How many names the file has.
  package var links: UInt64

  /// The permission bits, without those of the kind.
  package var mode: UInt32

  /// The user id of the owner.
  package var owner: UInt32

  /// The id of the group.
  package var group: UInt32

  /// Puts a status together, as a fake does.
  package init(
    kind: FileKind, size: Int64, modified: Int64, changed: Int64, inode: UInt64, device: UInt64,
    links: UInt64 = 1, mode: UInt32 = 0o644, owner: UInt32 = 0, group: UInt32 = 0
  ) {
    self.kind = kind
    self.size = size
    self.modified = modified
    self.changed = changed
    self.inode = inode
    self.device = device
    self.links = links
    self.mode = mode
    self.owner = owner
    self.group = group
  }

  /// Whether both describe one file, under whatever names.
  package func isSameFile(as other: FileStatus) -> Bool {
    inode == other.inode && device == other.device
  }
}

/// A name in a directory.
package struct DirectoryEntry: Hashable, Sendable {
  /// The name as the bytes that it is: it may hold newlines and need not be UTF-8.
  package let bytes: [UInt8]

  /// What the directory says about the kind; `.unknown` where it does not (`readdir(3)`, `d_type`).
  package let kind: FileKind

  /// Names one thing in a directory.
  package init(name: FilePath.Component, kind: FileKind) {
    bytes = name.bytes
    self.kind = kind
  }

  /// Takes a name as it stands in a directory; nil for what names nothing in it.
  init?(bytes: [UInt8], kind: FileKind) {
    let names = FilePath.Component.isName(bytes) && bytes != [0x2E] && bytes != [0x2E, 0x2E]
    guard names else { return nil }
    self.bytes = bytes
    self.kind = kind
  }

  /// The name; made anew each time, so ask ``bytes`` where there are thousands.
  package var name: FilePath.Component {
    guard let name = FilePath.Component(bytes: bytes) else {
      preconditionFailure("both initializers take names only")
    }
    return name
  }
}

/// The bytes of a regular file, and what its descriptor said before and after they were read.
package struct FileContents: Hashable, Sendable {
  /// All that was read.
  package let bytes: [UInt8]

  /// What the descriptor said before the first byte was read.
  package let statusBefore: FileStatus

  /// What the descriptor said after the last byte was read.
  package let status: FileStatus

  /// Puts together what was read and what was said about it.
  package init(bytes: [UInt8], statusBefore: FileStatus, status: FileStatus) {
    self.bytes = bytes
    self.statusBefore = statusBefore
    self.status = status
  }

  /// Whether the file changed while it was read: it may still be growing.
  package var changedWhileRead: Bool {
    statusBefore.size != status.size || statusBefore.modified != status.modified
      || Int64(bytes.count) != status.size
  }
}
