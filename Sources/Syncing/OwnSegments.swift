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

  /// The stream that it writes: maybe not the one that it wrote when this process began.
  private let stream: StreamID

  init(of device: Device) throws {
    self.device = device
    stream = try device.database.device()?.stream ?? device.record.stream
  }

  /// Copies own segments from the folder where the device worked before, if that is still there.
  ///
  /// - returns: which transactions the new folder lacks all the same.
  func bringOver(from former: FilePath) throws -> [ClosedRange<UInt64>] {
    let old = ContainerFolder(root: former, files: container.files)
    if case .silent = device.ask(former) { return try missing() }
    if let marker = try? old.marker(), marker.container == record.container {
      let present = Set(try ranges(in: container))
      for file in try own(in: old) {
        // Spares reading most of the old folder.
        if let name = file.claim?.name, name.first <= name.last,
          present.contains(name.first...name.last)
        {
          continue
        }
        guard let segment = segment(file, in: old) else { continue }
        _ = try container.publish(segment, temporaryName: device.ambient.temporaryName())
      }
    }
    return try missing()
  }

  /// Which published transactions no whole file of the folder holds.
  func missing() throws -> [ClosedRange<UInt64>] {
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

  /// What the files of the folder hold, each read and verified: names alone promise nothing.
  ///
  /// A copy that broke off leaves half a file under its proper name.
  private func ranges(in folder: ContainerFolder) throws -> [ClosedRange<UInt64>] {
    try own(in: folder).compactMap { file in
      segment(file, in: folder).map { $0.range.first...$0.range.last }
    }
  }

  private func segment(_ file: FolderListing.File, in folder: ContainerFolder) -> Segment? {
    let reader = SegmentReader(container: folder, expected: record.container)
    guard case .segment(let found, _) = reader.read(file),
      found.segment.range.stream == stream,
      found.segment.range.first <= found.segment.range.last
    else { return nil }
    return found.segment
  }

  private func own(in folder: ContainerFolder) throws -> [FolderListing.File] {
    guard let directory = FilePath.Component(stream.description) else { return [] }
    return try folder.list(directories: [directory]).segments
  }
}
