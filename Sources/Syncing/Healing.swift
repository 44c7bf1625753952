import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles
import SystemPackage

/// Puts back what this device published and the folder has lost, byte for byte (protocol.md 27).
///
/// Also what devices published that never come back (28). As the files are the same, it harms
/// nobody if several devices do.
struct Healing {
  let device: Device

  /// - parameter listing: of the whole folder, all of which is imported.
  /// - returns: how many files were put back.
  func putBack(whatLacks listing: FolderListing) throws -> Int {
    let present = Set(listing.segments.compactMap { $0.claim.map(ImportedNames.Name.init) })
    var count = 0
    for stream in try device.database.keptStreams() {
      for segment in try device.database.archivedSegments(of: stream) {
        let name = ImportedNames.Name(
          stream: stream, first: segment.first, last: segment.last, digest: segment.digest)
        guard !present.contains(name) else { continue }
        if try putBack(segment) { count += 1 }
      }
    }
    return count
  }

  private func putBack(_ segment: ArchivedSegment) throws -> Bool {
    guard let bytes = try device.database.archivedBytes(of: segment) else { return false }
    try device.requireContainer()
    let publication = try device.container.publish(
      (bytes: bytes, digest: segment.digest), of: try SegmentFile.range(of: bytes),
      temporaryName: device.ambient.temporaryName())
    return publication == .written
  }
}
