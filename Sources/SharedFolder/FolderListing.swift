import CanonicalJSON
import Replication
import SystemFiles
import SystemPackage

/// What stands under `logs/`, by names alone: nothing is opened.
package struct FolderListing: Sendable {
  /// A file under a sub-folder of `logs/`.
  package struct File: Hashable, Sendable {
    package let directory: FilePath.Component
    package let directoryBytes: [UInt8]
    private let entry: DirectoryEntry
    /// What the folder's name and the file's say, if both are well formed.
    package let claim: Claim?

    fileprivate init(
      directory: FilePath.Component, directoryBytes: [UInt8], entry: DirectoryEntry, claim: Claim?
    ) {
      self.directory = directory
      self.directoryBytes = directoryBytes
      self.entry = entry
      self.claim = claim
    }

    /// Made anew each time: looking at many, ask ``nameBytes``.
    package var name: FilePath.Component { entry.name }
    package var nameBytes: [UInt8] { entry.bytes }
  }

  /// A file's name as bytes, for sets of thousands.
  package struct NameBytes: Hashable, Sendable {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.bytes.isSame(as: rhs.bytes) }

    package func hash(into hasher: inout Hasher) { bytes.hashAtOnce(into: &hasher) }
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
  /// How many files were left out, since their names are known.
  package var omitted = 0
  /// Whether `logs/` itself is not there: it may be away for a moment, which says nothing of files.
  package var isMissing = false

  /// The streams whose folders cannot be read since something else has their names.
  package var obstructed: [StreamID] {
    foreign.compactMap { $0.directory == nil ? StreamID($0.name.string) : nil }
  }
}

extension ContainerFolder {
  /// Lists `logs/`, or some of its sub-folders; a `logs/` that is not there is empty.
  ///
  /// - parameters:
  ///   - directories: the sub-folders to look into; nil for all.
  ///   - known: names in them that are left out, whatever they stand for.
  package func list(
    directories: Set<FilePath.Component>? = nil, except known: Set<FolderListing.NameBytes> = []
  ) throws(FileError) -> FolderListing {
    var listing = FolderListing()
    if let directories {
      for directory in directories where !Self.isIgnored(directory.bytes) {
        list(directory, directory.bytes, except: known, into: &listing)
      }
      return listing
    }
    let entries: [DirectoryEntry]
    do {
      entries = try files.list(logs)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      listing.isMissing = true
      return listing
    }
    for entry in entries where !Self.isIgnored(entry.bytes) {
      switch entry.kind {
      case .directory, .unknown: list(entry.name, entry.bytes, except: known, into: &listing)
      default: listing.foreign.append((nil, entry.name))
      }
    }
    return listing
  }

  private func list(
    _ directory: FilePath.Component, _ directoryBytes: [UInt8],
    except known: Set<FolderListing.NameBytes>,
    into listing: inout FolderListing
  ) {
    var entries: [DirectoryEntry]
    let path = logs.appending(directory)
    do {
      entries = try files.list(path)
    } catch {
      switch error.errno {
      // It went away between two calls: absence means nothing.
      case .noSuchFileOrDirectory: break
      case .notDirectory where isElse(path), .tooManySymbolicLinkLevels where isElse(path):
        listing.foreign.append((nil, directory))
      default: listing.unreadable.append(error)
      }
      return
    }
    listing.directories.append(directory)
    if !known.isEmpty {
      let count = entries.count
      entries.removeAll { known.contains(FolderListing.NameBytes($0.bytes)) }
      listing.omitted += count - entries.count
    }
    let stream = StreamID(directory.string)
    for entry in entries where LeftoverName.matches(entry.bytes) {
      listing.leftovers.append((directory, entry.name))
    }
    for entry in entries where !Self.isIgnored(entry.bytes) {
      let bytes = entry.bytes
      guard bytes.count > 4, bytes.suffix(4).elementsEqual(".log".utf8) else {
        listing.foreign.append((directory, entry.name))
        continue
      }
      let claim = stream.flatMap { stream in
        SegmentName(bytes).map { FolderListing.Claim(stream: stream, name: $0) }
      }
      listing.segments.append(
        FolderListing.File(
          directory: directory, directoryBytes: directoryBytes, entry: entry, claim: claim))
    }
  }

  /// Whether something else than a directory is there, as a link: a file system that fails may say
  /// of a directory what is said of those.
  private func isElse(_ path: FilePath) -> Bool {
    (try? files.status(of: path)).map { $0.kind != .directory } ?? false
  }

  /// Whether a name belongs to a syncer's or feedsync's own temporary, or is hidden.
  ///
  /// Syncthing writes `.syncthing.NAME.tmp`, from Windows `~syncthing~NAME.tmp`; NFS keeps an open
  /// deleted file as `.nfs…`; `.nosync` marks what is never synced.
  static func isIgnored(_ name: [UInt8]) -> Bool {
    let dot = UInt8(ascii: ".")
    if name.first == dot || name.starts(with: "~syncthing~".utf8) { return true }
    return name.indices.contains {
      name[$0] == dot && name[$0...].starts(with: ".nosync".utf8)
    }
  }
}
