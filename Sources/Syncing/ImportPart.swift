import DocumentStorage
import Replication
import SegmentFormat

/// Segments that are read and not committed yet: as many as fit into memory together.
///
/// Weighed by their content, not by their files alone: deflate packs a thousand bytes into one.
package struct ImportPart {
  package typealias File = (segment: HeldSegment, look: FileRecord.Look)

  /// How much a part may hold.
  package struct Limits: Sendable {
    package let operations: Int
    package let bytes: Int
    /// How much memory folding the operations may take.
    package let foldBytes: Int
    /// How much is taken out at once of what others have dropped.
    package let heeding: HeedingPace

    /// - precondition: all are greater than zero.
    package init(
      operations: Int, bytes: Int, foldBytes: Int, heeding: HeedingPace = .standard
    ) {
      self.operations = operations
      self.bytes = bytes
      self.foldBytes = foldBytes
      self.heeding = heeding
    }

    package static let standard = Limits(
      operations: operationLimit, bytes: byteLimit, foldBytes: 24 << 20)
  }

  /// So many that a document is seldom written twice, and others do not wait long for the database.
  package static let operationLimit = 200_000
  package static let byteLimit = 16 << 20
  /// So much of what the files hold is kept besides; the rest is read again when its turn comes.
  static let openBytes = 4 << 20

  private let limits: Limits
  package private(set) var files: [File] = []
  package private(set) var operations = 0
  /// What it holds.
  private var bytes = 0
  /// How much of that are open segments.
  private var open = 0
  /// What the largest takes once it is open.
  private var largest = 0
  private var reached: [StreamID: UInt64] = [:]

  package init(limits: Limits = .standard) { self.limits = limits }

  package var isEmpty: Bool { files.isEmpty }
  package var isFull: Bool { operations >= limits.operations || bytes >= limits.bytes }

  /// How much memory folding its operations may take.
  ///
  /// Enough for all of them at once, so that each document is written once; less where a segment
  /// that is too large for any part has taken that memory already.
  package var foldBytes: Int {
    largest > limits.bytes * 3 / 2 ? limits.foldBytes / 3 : limits.foldBytes
  }

  /// Whether one more segment would make it too large; a segment too large for any part is one of
  /// its own.
  package func hasRoom(for weight: Weight) -> Bool {
    isEmpty || weight.bytes <= limits.bytes && bytes + held(weight) <= limits.bytes
  }

  /// What is held of a segment: its file alone, if enough others are open.
  private func held(_ weight: Weight) -> Int {
    staysOpen(weight) ? weight.bytes : weight.fileBytes
  }

  private func staysOpen(_ weight: Weight) -> Bool { open + weight.bytes <= Self.openBytes }

  /// How far a stream will be applied; nil if nothing of it is in this part.
  package func reached(_ stream: StreamID) -> UInt64? { reached[stream] }

  package mutating func append(
    _ segment: ImportableSegment, look: FileRecord.Look, weight: Weight
  ) {
    let range = segment.segment.range
    let held = HeldSegment(
      segment, isOpen: staysOpen(weight), openBytes: weight.bytes - weight.fileBytes)
    files.append((held, look))
    reached[range.stream] = max(reached[range.stream] ?? 0, range.last)
    operations += weight.operations
    bytes += self.held(weight)
    if staysOpen(weight) { open += weight.bytes }
    largest = max(largest, weight.bytes)
  }
}

extension ImportPart {
  /// What a segment takes while it waits.
  package struct Weight: Equatable {
    /// About what an operation takes besides its payload.
    package static let operationBytes = 128
    /// And a transaction besides its operations.
    package static let transactionBytes = 192

    package var operations = 0
    package var bytes = 0
    /// What the file alone takes.
    package var fileBytes = 0

    package init(operations: Int, bytes: Int, fileBytes: Int? = nil) {
      self.operations = operations
      self.bytes = bytes
      self.fileBytes = fileBytes ?? bytes
    }

    package init(of importable: ImportableSegment) {
      // The file's content is held for the archive.
      fileBytes = importable.bytes.count
      bytes = fileBytes
      bytes += importable.segment.transactions.count * Self.transactionBytes
      // A few bytes may stand for a context of thousands of streams, which each transaction gets.
      bytes += importable.segment.contextEntries * ContextSize.entryBytes
      let transactions = importable.segment.transactions
      var document: Dot?
      // By place: an iterator would copy each.
      for index in transactions.indices {
        let all = transactions[index].operations
        operations += all.count
        bytes += all.count * Self.operationBytes
        for place in all.indices {
          bytes += all[place].payload.count
          // Operations on one document, which stand together, share its id.
          if all[place].insert != document { bytes += all[place].document.id.bytes.count }
          document = all[place].insert
        }
      }
    }
  }
}
