import SharedFolder
import SystemFiles
import SystemPackage

/// What keeps this device and the other users of its folder, the syncer above all, apart.
///
/// Nothing fails for it on this machine, so nobody would hear of it otherwise.
package enum FolderProblem: Hashable, Sendable {
  /// A file or folder that this device made cannot be read by a user who takes part.
  case hidden(FilePath, mode: UInt32, from: UInt32)
  /// What this device will make in the folder cannot be read by a user who takes part.
  case willHide(FilePath, umask: UInt32, from: UInt32)
  /// This device cannot write its files, so it reads only.
  case unwritable(FileError)
  /// The folder cannot be looked into.
  case unreadable(FileError)
}

extension Device {
  /// Looks for what keeps users apart; an empty list if the folder is away.
  ///
  /// Who takes part is known by what they own: the folder, the syncer's mark in it, and the streams
  /// that were brought. On network file systems owners mean nothing, and are not looked at.
  package func folderProblems(_ accounts: Accounts) -> [FolderProblem] {
    guard (try? container.marker()) != nil else { return [] }
    var problems: [FolderProblem] = []
    do throws(FileError) {
      try container.files.checkWriting(to: writingPlace)
    } catch {
      problems.append(.unwritable(error))
    }
    do throws(FileError) {
      let streams = try container.list().directories
      guard (try? container.files.kind(of: container.root)) == .local else { return problems }
      problems += hidden(from: readers(streams: streams, accounts), accounts)
    } catch {
      problems.append(.unreadable(error))
    }
    return problems
  }

  private var ownStream: FilePath { container.directory(of: record.stream) }

  /// The directory in which the next name will be made.
  private var writingPlace: FilePath {
    [ownStream, container.logs].first { (try? container.files.status(of: $0)) != nil }
      ?? container.root
  }

  /// The other users who own something that only a participant makes; root reads anyhow.
  private func readers(streams: [FilePath.Component], _ accounts: Accounts) -> [UInt32] {
    let places =
      [container.root, container.root.appending(".stfolder")]
      + streams.map { container.logs.appending($0) }
    let owners = places.compactMap { try? container.files.status(of: $0).owner }
    return Set(owners).subtracting([accounts.user, 0]).sorted()
  }

  private func hidden(from readers: [UInt32], _ accounts: Accounts) -> [FolderProblem] {
    let made = ownFiles(accounts)
    return readers.compactMap { reader in
      let rule = ReadingRule(user: reader, groups: accounts.groups(reader))
      for (path, status) in made {
        guard !rule.allows(status), !container.files.hasAccessList(path) else { continue }
        return .hidden(path, mode: status.mode, from: reader)
      }
      return made.contains { $0.path == ownStream } ? nil : willHide(rule, accounts)
    }
  }

  /// What this device has made: the marker, `logs/`, its stream, and its last file.
  private func ownFiles(_ accounts: Accounts) -> [(path: FilePath, status: FileStatus)] {
    let last = (try? container.files.list(ownStream))?.map(\.name)
      .max { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    let paths =
      [container.markerFile, container.logs, ownStream]
      + (last.map { [ownStream.appending($0)] } ?? [])
    return paths.compactMap { path in
      guard let status = try? container.files.status(of: path), status.owner == accounts.user
      else { return nil }
      return (path, status)
    }
  }

  /// Foretells the mode of the first file from the umask; an access list would overrule it.
  private func willHide(_ rule: ReadingRule, _ accounts: Accounts) -> FolderProblem? {
    let place = writingPlace
    guard let umask = accounts.umask, let parent = try? container.files.status(of: place),
      !container.files.hasAccessList(place)
    else { return nil }
    var status = parent
    status.owner = accounts.user
    status.group = parent.mode & 0o2000 == 0 ? accounts.group : parent.group
    status.mode = 0o777 & ~umask
    return rule.allows(status) ? nil : .willHide(container.root, umask: umask, from: rule.user)
  }
}

/// Whether a user may read a file, by owner, group and mode alone (`path_resolution(7)`).
package struct ReadingRule {
  let user: UInt32
  /// Nil if they are not known: the user then counts as a member of every group.
  let groups: Set<UInt32>?

  package init(user: UInt32, groups: Set<UInt32>?) {
    self.user = user
    self.groups = groups
  }

  package func allows(_ status: FileStatus) -> Bool {
    let needed: UInt32 = status.kind == .directory ? 0o5 : 0o4
    let shift: UInt32 =
      if status.owner == user { 6 } else if groups?.contains(status.group) ?? true { 3 } else { 0 }
    return (status.mode >> shift) & needed == needed
  }
}
