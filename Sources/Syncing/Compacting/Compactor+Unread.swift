import DocumentStorage
import Replication
import SharedFolder
import SystemPackage

extension Compactor {
  /// Whether the folder has a file of a stream that this device does not know, or cannot tell;
  /// false where nothing is dropped anyway.
  ///
  /// It may be a branch that leaves the stream at what would be dropped, written by this very
  /// device before its database was put back: leaning on that, it could not be read any more, and
  /// nobody else may have it.
  func hasUnread(of stream: StreamID) throws -> Bool {
    guard limits.drops, let directory = FilePath.Component(stream.description) else {
      return false
    }
    return try hasUnread(of: stream, in: device.container.list(directories: [directory]))
  }

  /// - parameter listing: of the whole folder, or of the stream's directory.
  func hasUnread(of stream: StreamID, in listing: FolderListing) throws -> Bool {
    // Nothing depends on it where nothing is dropped, and each look takes the time of all names.
    guard limits.drops else { return false }
    let path = device.container.directory(of: stream)
    guard !listing.unreadable.contains(where: { $0.path == path }) else { return true }
    // It may be away for a moment, and what is in it with it.
    guard let name = path.lastComponent, listing.directories.contains(name) else { return true }
    let files = listing.segments.filter { $0.directory == name }
    let names = Set(files.compactMap(\.claim).map { ImportedNames.Name($0) })
    let known = try device.database.segmentNames(of: stream, among: Array(names))
    // A syncer's copies have other names, and what only tells again what was dropped has one that
    // is not kept: what they hold is known by a look at each.
    let others = files.filter { file in
      file.claim.map { !known.contains(ImportedNames.Name($0)) } ?? true
    }
    guard !others.isEmpty else { return false }
    let records = try device.database.fileRecords()
    return others.contains { records[$0.key]?.reason != .duplicate }
  }
}
