import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles
import SystemPackage

/// Looks whether somebody else writes this device's stream (protocol.md 25): a clone of it, or the
/// device itself before its database was put back to an older state.
///
/// Names tell in the ordinary case, and nothing is opened; only what the database did not write is
/// read.
struct ForkDetection {
  let device: Device

  /// Makes the device go on under a new stream if its folder holds what it did not write.
  ///
  /// - returns: whether it does.
  func beginStreamIfForked() throws -> Bool {
    guard let stream = try device.database.device()?.stream,
      let directory = FilePath.Component(stream.description)
    else { return false }
    let found = try device.container.list(directories: [directory]).segments
    guard !found.isEmpty else { return false }
    // After the folder: who publishes notes the name later.
    let known = try device.database.segmentNames(of: stream)
    for file in found {
      if let claim = file.claim, known.contains(ImportedNames.Name(claim)) { continue }
      guard try isForeign(file, stream: stream) else { continue }
      return try device.database.beginStream(insteadOf: stream)
    }
    return false
  }

  private func isForeign(_ file: FolderListing.File, stream: StreamID) throws -> Bool {
    let reader = SegmentReader(container: device.container, expected: device.record.container)
    guard case .segment(let found, _) = reader.read(file),
      found.segment.range.stream == stream
    else { return false }
    return try !device.database.holds(found.segment)
  }
}

extension ImportedNames.Name {
  init(_ claim: FolderListing.Claim) {
    self.init(
      stream: claim.stream, first: claim.name.first, last: claim.name.last,
      digest: claim.name.digest)
  }
}
