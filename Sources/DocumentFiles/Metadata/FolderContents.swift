import SharedFolder
import SystemFiles
import SystemPackage

/// What one folder holds, as it was when it was read: a value made of names and statuses alone.
package struct FolderContents: Hashable, Sendable {
  /// A name in the folder, and what was said about it.
  package struct Entry: Sendable {
    package let name: FilePath.Component
    package let status: Result<FileStatus, FileError>
    /// How many bytes of disk space it takes; only a temporary file is asked for it.
    package let allocated: Int64

    package init(
      _ name: FilePath.Component, _ status: Result<FileStatus, FileError>, allocated: Int64 = 0
    ) {
      self.name = name
      self.status = status
      self.allocated = allocated
    }
  }

  /// Which folder has a name: another one may take its place.
  package struct Identity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
  }

  /// What is in it, conflict copies too, sorted by path.
  package let items: [MetadataItem]
  /// The folders in it that are looked into.
  package let folders: [FilePath: Identity]
  /// How many names it has.
  package let count: Int

  /// - parameters:
  ///   - directory: Where it is, `root` or below.
  ///   - entries: All its names.
  package init(of directory: FilePath, in root: FilePath, _ entries: [Entry]) {
    var gathering = Gathering()
    for entry in entries { gathering.take(entry, in: directory) }
    let prefix = directory.components.dropFirst(root.components.count).map(\.string)
    items = gathering.items(in: directory, prefix: prefix.map { $0 + "/" }.joined())
    folders = gathering.folders
    count = entries.count
  }

  /// What temporary files and conflict copies say about the files that they belong to.
  private struct Gathering {
    var files: [FilePath.Component: Result<FileStatus, FileError>] = [:]
    var arrivals: [FilePath.Component: MetadataItem.Arrival] = [:]
    var conflicts: [FilePath.Component: Int] = [:]
    var folders: [FilePath: Identity] = [:]

    mutating func take(_ entry: Entry, in directory: FilePath) {
      if let target = TemporaryCopyName.target(of: entry.name) {
        guard case .success(let status) = entry.status, status.kind == .regular else { return }
        arrivals[target] = Self.arrival(status, allocated: entry.allocated)
        return
      }
      guard !DocumentPlace.isHidden(entry.name) else { return }
      switch entry.status {
      case .success(let status) where status.kind == .directory:
        guard entry.name.bytes.first != UInt8(ascii: ".") else { return }
        folders[directory.appending(entry.name)] = Identity(
          device: status.device, inode: status.inode)
      case .success(let status) where status.kind != .regular: return
      // One that has just gone is no item.
      case .failure(let error) where error.errno == .noSuchFileOrDirectory: return
      case .success, .failure:
        if let copy = ConflictCopy(entry.name) { conflicts[copy.document, default: 0] += 1 }
        files[entry.name] = entry.status
      }
    }

    /// Syncthing reserves all bytes at once, on most disks without taking their space.
    private static func arrival(
      _ status: FileStatus, allocated: Int64
    ) -> MetadataItem.Arrival {
      let isReserved = allocated < status.size
      return MetadataItem.Arrival(
        downloadedSize: min(allocated, status.size), expectedSize: isReserved ? status.size : nil)
    }

    func items(in directory: FilePath, prefix: String) -> [MetadataItem] {
      // A conflict copy that is on its way is no document, and not here to be counted yet.
      let arriving = arrivals.keys.filter { files[$0] != nil || ConflictCopy($0) == nil }
      let names = Set(files.keys).union(conflicts.keys).union(arriving)
      let sorted = names.map { ($0, $0.bytes) }
        .sorted { $0.1.lexicographicallyPrecedes($1.1) }
      return sorted.map { name, _ in
        item(name, at: directory.appending(name), relative: prefix + name.string)
      }
    }

    private func item(
      _ name: FilePath.Component, at path: FilePath, relative: String
    ) -> MetadataItem {
      let (file, arrival) = (files[name], arrivals[name])
      var (status, error): (FileStatus?, DocumentFileError?)
      switch file {
      case .success(let found): status = found
      case .failure(let failure): error = DocumentFileError(failure)
      case nil: break
      }
      let isHere = file != nil
      return MetadataItem(
        path: path, relativePath: relative,
        kind: ConflictCopy(name) == nil ? .document : .conflictCopy, size: status?.size,
        modified: status?.modified, conflicts: conflicts[name, default: 0],
        downloadingStatus: isHere
          ? arrival == nil ? .current : .downloaded : arrival == nil ? .missing : .notDownloaded,
        arrival: arrival, error: error)
    }
  }
}
