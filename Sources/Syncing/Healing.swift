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

  /// What was put back, and the first thing that hindered it.
  struct Outcome {
    var count = 0
    var failure: FileError?
  }

  /// A folder that refuses so many files refuses all.
  private static let maximumFailures = 8

  /// - parameter listing: of the whole folder, all of which is imported.
  func putBack(whatLacks listing: FolderListing) throws -> Outcome {
    let present = Set(listing.segments.map { Place(directory: $0.directory, name: $0.name) })
    var outcome = Outcome()
    var failures = 0
    for stream in try device.database.keptStreams() {
      for segment in try device.database.archivedSegments(of: stream)
      where !isThere(segment, among: present) {
        do {
          if try putBack(segment) { outcome.count += 1 }
        } catch let error as FileError {
          // Another file may still be put back.
          outcome.failure = outcome.failure ?? error
          failures += 1
          guard failures < Self.maximumFailures else { return outcome }
        }
      }
    }
    return outcome
  }

  private struct Place: Hashable {
    let directory: FilePath.Component
    let name: FilePath.Component
  }

  /// Whether the folder has a segment's file, whole as far as its size tells, under its own name or
  /// beside what has taken that.
  private func isThere(_ segment: ArchivedSegment, among present: Set<Place>) -> Bool {
    let name = SegmentName(first: segment.first, last: segment.last, digest: segment.digest)
    let path = device.container.directory(of: segment.stream)
    guard let directory = path.lastComponent else { return false }
    for copy in 0..<ContainerFolder.maximumCopies {
      guard let component = name.component(copy: copy),
        present.contains(Place(directory: directory, name: component))
      else { continue }
      // What cannot be looked at now is no reason to write.
      guard let status = try? device.container.files.status(of: path.appending(component)),
        status.size != segment.size
      else { return true }
    }
    return false
  }

  private func putBack(_ segment: ArchivedSegment) throws -> Bool {
    guard let bytes = try device.database.archivedBytes(of: segment) else { return false }
    try device.requireContainer()
    let publication = try device.container.publish(
      (bytes: bytes, digest: segment.digest), of: try SegmentFile.range(of: bytes),
      temporaryName: device.ambient.temporaryName())
    // A damaged file that has its name stays: what it is, nobody here can tell.
    return publication != .present
  }
}
