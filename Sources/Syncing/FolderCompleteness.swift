import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles

/// Whether the folder holds all that the database has applied, so that a new device that reads the
/// folder would come to have it.
struct FolderCompleteness {
  private let device: Device
  private let reader: SegmentReader

  init(device: Device) {
    self.device = device
    reader = SegmentReader(container: device.container, expected: device.record.container)
  }

  /// The streams of which the folder does not hold what is applied here.
  ///
  /// Reads and verifies every segment, one at a time: names alone promise nothing.
  func incompleteStreams() throws -> [StreamSummary] {
    let wanted = try device.database.streamSummaries().filter { $0.applied > 0 }
    let ends = Dictionary(uniqueKeysWithValues: wanted.map { ($0.stream, $0) })
    var positions: [StreamID: StreamPosition] = [:]
    var held: Set<StreamID> = []
    var files = try device.container.list().segments.sorted(by: Self.precedes)
    var isProgressing = true
    // A file under a name that says nothing may fill a hole: go on while anything fits.
    while isProgressing, held.count < wanted.count {
      isProgressing = false
      var rest: [FolderListing.File] = []
      for file in files {
        guard case .segment(let found, _) = reader.read(file) else { continue }
        let range = found.segment.range
        guard let end = ends[range.stream], !held.contains(range.stream) else { continue }
        let position = positions[range.stream] ?? .start
        guard range.first <= position.sequence + 1 else {
          rest.append(file)
          continue
        }
        // Another branch of the stream: not what was applied here.
        guard let transactions = try? found.segment.transactions(after: position) else { continue }
        for transaction in transactions where !held.contains(range.stream) {
          positions[range.stream] = StreamPosition(after: transaction.header)
          isProgressing = true
          if end.tips.contains(transaction.header.tip) { held.insert(range.stream) }
        }
      }
      files = rest
    }
    return wanted.filter { !held.contains($0.stream) }
  }

  private static func precedes(_ lhs: FolderListing.File, _ rhs: FolderListing.File) -> Bool {
    let left = lhs.claim?.name.first ?? .max
    let right = rhs.claim?.name.first ?? .max
    return left == right ? lhs.key < rhs.key : left < right
  }
}
