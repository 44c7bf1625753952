import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles
import SystemPackage

/// What this device has published, as the folder at a new place should hold it.
///
/// A folder that was moved brings all of it along. A copy lacks what was published after it was
/// made; and since nobody publishes twice what is noted as published, it would lack it for good.
struct OwnSegments {
  private let device: Device
  private var record: DeviceRecord { device.record }
  private var container: ContainerFolder { device.container }

  init(of device: Device) { self.device = device }

  /// Copies own segments from the folder where the device worked before, if that is still there.
  ///
  /// - returns: which transactions the new folder lacks all the same.
  func bringOver(from former: FilePath) throws -> [ClosedRange<UInt64>] {
    let old = ContainerFolder(root: former, files: container.files)
    if let marker = try? old.marker(), marker.container == record.container {
      let present = Set(try ranges(in: container))
      let reader = SegmentReader(container: old, expected: record.container)
      for file in try own(in: old) {
        guard let name = file.claim?.name, !present.contains(name.first...name.last),
          case .segment(let found, _) = reader.read(file),
          found.segment.range.stream == record.stream
        else { continue }
        _ = try container.publish(found.segment, temporaryName: device.ambient.temporaryName())
      }
    }
    return try missing()
  }

  /// Which published transactions no file of the folder claims to hold.
  private func missing() throws -> [ClosedRange<UInt64>] {
    let published = try device.database.publishedEnd()
    var reached: UInt64 = 0
    var missing: [ClosedRange<UInt64>] = []
    for range in try ranges(in: container).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      guard reached < published else { break }
      if range.lowerBound > reached + 1 {
        missing.append(reached + 1...min(range.lowerBound - 1, published))
      }
      reached = max(reached, range.upperBound)
    }
    if reached < published { missing.append(reached + 1...published) }
    return missing
  }

  private func ranges(in folder: ContainerFolder) throws -> [ClosedRange<UInt64>] {
    try own(in: folder).compactMap { file in
      guard let name = file.claim?.name, name.first <= name.last else { return nil }
      return name.first...name.last
    }
  }

  private func own(in folder: ContainerFolder) throws -> [FolderListing.File] {
    guard let directory = FilePath.Component(record.stream.description) else { return [] }
    return try folder.list(directories: [directory]).segments
  }
}
