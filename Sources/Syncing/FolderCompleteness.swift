import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles

/// Whether the folder holds all that the database has applied, so that a new device that reads the
/// folder would come to have it.
package struct FolderCompleteness {
  private let device: Device
  private let reader: SegmentReader

  package init(device: Device) {
    self.device = device
    reader = SegmentReader(container: device.container, expected: device.record.container)
  }

  /// The streams of which the folder does not hold what is applied here.
  ///
  /// Reads and verifies every segment, one at a time: names alone promise nothing.
  package func incompleteStreams() throws -> [StreamSummary] {
    let all = try device.database.streamSummaries().filter { $0.applied > 0 }
    let (wanted, branched) = (all.filter(\.isOneLine), all.filter { !$0.isOneLine })
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
    let lacking = try branched.filter { try !isKept($0.stream) }
    return wanted.filter { !held.contains($0.stream) } + lacking
  }

  /// The streams of which others have dropped something that was not taken out here, or may have,
  /// since a file is there that cannot be read yet.
  ///
  /// As long as it was not, this database may have, alone, what an edit of this device stands on:
  /// the file that lacks it counts as whole otherwise (protocol.md 22 and 24).
  ///
  /// - throws: also a ``FileError`` if a directory cannot be listed: what is in it is not known.
  package func unheededStreams() throws -> Set<StreamID> {
    var streams = try device.database.streamsWithOpenStatements()
    var knowledge = FolderKnowledge(database: device.database, now: device.ambient.now)
    try knowledge.refresh()
    let listing = try device.container.list()
    if let failure = listing.unreadable.first { throw failure }
    for file in listing.segments {
      if let claim = file.claim, knowledge.isImported(claim) { continue }
      switch reader.read(file) {
      case .segment(let found, _):
        if try lacksSome(found) { streams.insert(found.segment.range.stream) }
      case .setAside(let record):
        guard let claim = file.claim, record.reason.mayPass else { continue }
        streams.insert(claim.stream)
      case .gone: continue
      }
    }
    return streams
  }

  /// Whether something was dropped from a segment that was not imported.
  private func lacksSome(_ found: ImportableSegment) throws -> Bool {
    guard found.segment.isReduced else { return false }
    let range = found.segment.range
    let name = ImportedNames.Name(
      stream: range.stream, first: range.first, last: range.last, digest: found.digest)
    return try device.database.segmentNames(of: range.stream, among: [name]).isEmpty
  }

  /// Whether the folder has each file of a stream that is kept here.
  ///
  /// Of several branches, and behind what was given up, the end of one says nothing of the others.
  private func isKept(_ stream: StreamID) throws -> Bool {
    guard try !device.database.unarchivedSegments().contains(where: { $0.stream == stream })
    else { return false }
    return try device.database.archivedSegments(of: stream).allSatisfy { segment in
      guard let bytes = try device.database.archivedBytes(of: segment) else { return false }
      return device.container.keeps(segment.digest, of: try SegmentFile.range(of: bytes))
    }
  }

  private static func precedes(_ lhs: FolderListing.File, _ rhs: FolderListing.File) -> Bool {
    let left = lhs.claim?.name.first ?? .max
    let right = rhs.claim?.name.first ?? .max
    return left == right ? lhs.key < rhs.key : left < right
  }
}

extension FileRecord.Reason {
  /// Whether the file may come to be a segment of this container: its disk fails, it is still being
  /// written, or only a newer program reads it.
  fileprivate var mayPass: Bool { [.unreadable, .incomplete, .damaged, .newer].contains(self) }
}

extension StreamSummary {
  /// Whether it goes on from its start to one end, as far as is known here.
  fileprivate var isOneLine: Bool { tips.count == 1 && givenUp == nil }
}
