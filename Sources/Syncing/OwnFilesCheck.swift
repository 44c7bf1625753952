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
  private let isCancelled: () -> Bool

  /// The folder's clock and this machine's may differ by so much, in milliseconds.
  private static let slack: Int64 = 86_400_000

  /// - parameters:
  ///   - isStopping: asked between files whether to end early, behind those that changed first.
  ///   - isCancelled: asked before each whether to end at once.
  init(
    of device: Device, isStopping: @escaping () -> Bool = { false },
    isCancelled: @escaping () -> Bool = { false }
  ) {
    self.device = device
    self.isStopping = isStopping
    self.isCancelled = isCancelled
  }

  /// What is to be read, and when it changed, in milliseconds since 1970.
  private struct Candidate {
    let file: FolderListing.File
    let changed: Int64
  }

  /// Reads them in the order in which they changed, so that the next run can go on from there.
  ///
  /// Only a time says where that is, so all that changed at one time are read together.
  ///
  /// - parameter read: what has been read before.
  /// - returns: when the first one changed that was not read; nil if all were.
  func run(after read: OwnFilesRead) throws -> Int64? {
    try device.requireContainer()
    let records = try device.database.fileRecords()
    let reader = SegmentReader(container: device.container, expected: device.record.container)
    var (noted, forgotten): ([FileRecord], [FileKey]) = ([], [])
    var rest = try candidates(after: read, records)[...]
    var time: Int64?
    while let next = rest.first, !isCancelled(),
      time == nil || time == next.changed || !isStopping()
    {
      rest.removeFirst()
      time = next.changed
      switch reader.read(next.file) {
      case .segment(let found, let look):
        if let record = found.misplaced(look) {
          noted.append(record)
        } else if records[next.file.key]?.reason.isOfContent == true {
          forgotten.append(next.file.key)
        }
      case .setAside(let record):
        if record.reason.isOfContent { noted.append(record) }
      case .gone: break
      }
    }
    try device.database.updateFileRecords(noted: noted, forgotten: forgotten)
    return rest.first?.changed
  }

  /// - returns: those that changed since, the first to change first, but for those that are noted
  ///   as they are.
  private func candidates(
    after read: OwnFilesRead, _ records: [FileKey: FileRecord]
  ) throws -> [Candidate] {
    let start = start(of: read)
    let directories = Set(
      try device.database.keptStreams().compactMap {
        device.container.directory(of: $0).lastComponent
      })
    let listing = try device.container.list(directories: directories)
    return listing.segments.filter { $0.claim != nil }.compactMap { file in
      let path = device.container.logs.appending(file.directory).appending(file.name)
      guard let status = try? device.container.files.status(of: path),
        records[file.key]?.look != FileRecord.Look(status)
      else { return nil }
      let candidate = Candidate(file: file, changed: status.changed / 1_000_000)
      return candidate.changed >= start ? candidate : nil
    }.sorted { $0.changed < $1.changed }
  }

  /// What changed before, in milliseconds since 1970, is not looked at.
  private func start(of read: OwnFilesRead) -> Int64 {
    let now = device.ambient.now()
    // A clock that was ahead says nothing of what has been read since it was put right.
    return switch read {
    case .changedBefore(let time): time > now + Self.slack ? 0 : time
    case .whenLookedAfter(let time): time > now ? 0 : Self.whatIsRead(at: time)
    }
  }

  /// What had changed before is read once all was, in milliseconds since 1970.
  ///
  /// - parameter time: When that was begun, by this machine's clock.
  static func whatIsRead(at time: Int64) -> Int64 { time - slack }
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
