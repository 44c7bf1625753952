import SystemFiles
import SystemPackage

/// Who may use a file, as one that takes its place, or is made of it, takes that over.
struct FileAccess: Hashable, Sendable {
  /// Nobody but its user.
  static let userAlone = FileAccess(mode: 0o600, group: nil)

  /// The bits for its user, its group and all others.
  let mode: UInt32
  /// Whose the group's bits are; nil where they allow no more than the others' do.
  let group: UInt32?

  private init(mode: UInt32, group: UInt32?) {
    self.mode = mode
    self.group = group
  }

  /// The same for the group's members as for all others.
  private init(mode: UInt32, both: UInt32) {
    self.init(mode: mode & 0o700 | both << 3 | both, group: nil)
  }

  /// As a file has it now; whom a list of its own names is among the others then, who get no more
  /// than any of those had.
  init(to file: OpenFile) throws(FileError) {
    let status = try file.status()
    if let both = file.permissionsOfAllListed {
      self.init(mode: status.mode, both: both)
    } else {
      self.init(mode: status.mode & 0o777, group: status.group)
    }
  }

  /// For those who may use both.
  func intersection(_ other: FileAccess) -> FileAccess {
    let both = FileAccess(mode: mode & other.mode, group: group)
    return group == other.group ? both : both.withoutGroup
  }

  /// Its user may write it in any case: what he has written himself is his to settle.
  var writableByUser: FileAccess { FileAccess(mode: mode | 0o600, group: group) }

  /// The group's members are among the others then: both get what both had.
  var withoutGroup: FileAccess {
    FileAccess(mode: mode, both: mode >> 3 & mode & 0o007)
  }
}

extension OpenFile {
  /// Lets those use it who may, and nobody else.
  ///
  /// The group is another one where the user is in several, or the file is somebody else's; who is
  /// not in it cannot give the file to it. SMB, FAT and others have no modes and refuse.
  func allow(_ access: FileAccess) {
    var access = access
    if let group = access.group, (try? status().group) != group, (try? setGroup(group)) == nil {
      access = access.withoutGroup
    }
    try? setMode(access.mode)
  }
}

extension OpenDirectory {
  /// Who may use a file of this name: by what it is now, if that is what is meant; else only its
  /// user, since nothing tells who else might read what is written for it.
  func access(
    to name: FilePath.Component, where isMeant: (FileStatus) -> Bool = { _ in true }
  ) -> FileAccess {
    guard let file = try? open(name), let status = try? file.status(), isMeant(status) else {
      return .userAlone
    }
    return (try? FileAccess(to: file)) ?? .userAlone
  }
}
