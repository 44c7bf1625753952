import DocumentStorage
import Replication
import SharedFolder
import SystemPackage

extension Compactor {
  /// Whether the folder has a file of a stream that this device does not know.
  ///
  /// It may be a branch that leaves the stream at what would be dropped, written by this very
  /// device before its database was put back: leaning on that, it could not be read any more, and
  /// nobody else may have it.
  func hasUnread(of stream: StreamID) throws -> Bool {
    guard let directory = FilePath.Component(stream.description) else { return false }
    return try hasUnread(of: stream, in: device.container.list(directories: [directory]))
  }

  func hasUnread(of stream: StreamID, in listing: FolderListing) throws -> Bool {
    let names = listing.segments.compactMap(\.claim).filter { $0.stream == stream }
      .map { ImportedNames.Name($0) }
    return try device.database.segmentNames(of: stream, among: names).count < Set(names).count
  }
}
