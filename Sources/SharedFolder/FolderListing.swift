import Replication
import SystemFiles
import SystemPackage

/// What stands under `logs/`, by names alone: nothing is opened.
package struct FolderListing: Sendable {
  /// A file under a sub-folder of `logs/`.
  package struct File: Hashable, Sendable {
    package let directory: FilePath.Component
    package let name: FilePath.Component
    /// What the folder's name and the file's say, if both are well formed.
    package let claim: Claim?
  }

  /// A stream and range that a name claims; the content decides.
  package struct Claim: Hashable, Sendable {
    package let stream: StreamID
    package let name: SegmentName

    package init(stream: StreamID, name: SegmentName) {
      self.stream = stream
      self.name = name
    }
  }

  /// `*.log` in direct sub-folders.
  package var segments: [File] = []
  /// What is neither a segment nor a temporary: left alone, counted by `status`.
  package var foreign: [(directory: FilePath.Component?, name: FilePath.Component)] = []
  /// Temporaries of feedsync's, in use or left behind.
  package var leftovers: [(directory: FilePath.Component, name: FilePath.Component)] = []
  /// The sub-folders that were listed.
  package var directories: [FilePath.Component] = []
  /// Sub-folders that could not be listed.
  package var unreadable: [FileError] = []
}

extension ContainerFolder {
  /// Lists `logs/`, or some of its sub-folders; a `logs/` that is not there is empty.
  ///
  /// - parameter directories: the sub-folders to look into; nil for all.
  package func list(
    directories: Set<FilePath.Component>? = nil
  ) throws(FileError) -> FolderListing {
    var listing = FolderListing()
    if let directories {
      for directory in directories where !Self.isIgnored(directory) {
        list(directory, into: &listing)
      }
      return listing
    }
    let entries: [DirectoryEntry]
    do {
      entries = try files.list(logs)
    } catch {
      if error.errno == .noSuchFileOrDirectory { return listing }
      throw error
    }
    for entry in entries where !Self.isIgnored(entry.name) {
      switch entry.kind {
      case .directory, .unknown: list(entry.name, into: &listing)
      default: listing.foreign.append((nil, entry.name))
      }
    }
    return listing
  }

  private func list(_ directory: FilePath.Component, into listing: inout FolderListing) {
    let entries: [DirectoryEntry]
    do {
      entries = try files.list(logs.appending(directory))
    } catch {
      switch error.errno {
      // It went away between two calls: absence means nothing.
      case .noSuchFileOrDirectory: break
      case .notDirectory, .tooManySymbolicLinkLevels: listing.foreign.append((nil, directory))
      default: listing.unreadable.append(error)
      }
      return
    }
    listing.directories.append(directory)
    let stream = StreamID(directory.string)
    for entry in entries where LeftoverName.matches(entry.name) {
      listing.leftovers.append((directory, entry.name))
    }
    for entry in entries where !Self.isIgnored(entry.name) {
      let bytes = entry.name.bytes
      guard bytes.count > 4, bytes.suffix(4).elementsEqual(".log".utf8) else {
        listing.foreign.append((directory, entry.name))
        continue
      }
      let claim = stream.flatMap { stream in
        SegmentName(bytes).map { FolderListing.Claim(stream: stream, name: $0) }
      }
      listing.segments.append(
        FolderListing.File(directory: directory, name: entry.name, claim: claim))
    }
  }

  /// Whether a name belongs to a syncer's or feedsync's own temporary, or is hidden.
  ///
  /// Syncthing writes `.syncthing.NAME.tmp`, from Windows `~syncthing~NAME.tmp`; NFS keeps an open
  /// deleted file as `.nfs…`; `.nosync` marks what is never synced.
  static func isIgnored(_ name: FilePath.Component) -> Bool {
    let bytes = name.bytes
    if bytes.first == UInt8(ascii: ".") { return true }
    if bytes.starts(with: "~syncthing~".utf8) { return true }
    return bytes.indices.contains { bytes[$0...].starts(with: ".nosync".utf8) }
  }
}
