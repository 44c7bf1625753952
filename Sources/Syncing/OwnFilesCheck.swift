import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles

/// Reads what has changed in the folder of this device's files since it looked after them.
///
/// A file that is damaged where it stands has the size that it had. An import compares no more
/// than that with what was published, so its author would be the last to hear of it. What is found
/// is noted, and the next import puts a whole file beside it (``Healing``).
struct OwnFilesCheck {
  private let device: Device
  private let isStopping: () -> Bool

  /// The folder's clock and this machine's may differ by so much, in milliseconds.
  private static let slack: Int64 = 86_400_000

  /// - parameter isStopping: asked between files whether to end early.
  init(of device: Device, isStopping: @escaping () -> Bool = { false }) {
    self.device = device
    self.isStopping = isStopping
  }

  /// - parameter last: when they were looked after last, in milliseconds since 1970.
  func run(since last: Int64) throws {
    try device.requireContainer()
    let listing = try device.container.list(
      directories: Set(
        try device.database.keptStreams().compactMap {
          device.container.directory(of: $0).lastComponent
        }))
    let records = try device.database.fileRecords()
    let reader = SegmentReader(container: device.container, expected: device.record.container)
    var (noted, forgotten): ([FileRecord], [FileKey]) = ([], [])
    for file in listing.segments where file.claim != nil && !isStopping() {
      let path = device.container.logs.appending(file.directory).appending(file.name)
      guard let status = try? device.container.files.status(of: path),
        status.changed / 1_000_000 >= last - Self.slack,
        records[file.key]?.look != FileRecord.Look(status)
      else { continue }
      switch reader.read(file) {
      case .segment(let found, let look):
        if let record = found.misplaced(look) {
          noted.append(record)
        } else if records[file.key]?.reason.isOfContent == true {
          forgotten.append(file.key)
        }
      case .setAside(let record):
        if record.reason.isOfContent { noted.append(record) }
      case .gone: break
      }
    }
    try device.database.updateFileRecords(noted: noted, forgotten: forgotten)
  }
}

extension ImportableSegment {
  /// What is noted of a file with this in it that has the name of another segment: a disk or
  /// somebody has put one file in the place of another.
  func misplaced(_ look: FileRecord.Look) -> FileRecord? {
    guard !isUnderOwnName else { return nil }
    return FileRecord(
      key: file, look: look, reason: .damaged,
      detail: "it holds transactions \(segment.range.first) to \(segment.range.last)")
  }
}
