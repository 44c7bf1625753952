import DocumentStorage
import Replication

/// Segments that are read and not committed yet: as many as fit into memory together.
///
/// Weighed by their content, not by their files alone: deflate packs a thousand bytes into one.
package struct ImportPart {
  package init() {}

  package typealias File = (segment: ImportableSegment, look: FileRecord.Look)

  package static let operationLimit = 100_000
  package static let byteLimit = 16 << 20

  package private(set) var files: [File] = []
  package private(set) var operations = 0
  private var bytes = 0
  private var reached: [StreamID: UInt64] = [:]

  package var isEmpty: Bool { files.isEmpty }
  package var isFull: Bool { operations >= Self.operationLimit || bytes >= Self.byteLimit }

  /// How much memory folding its operations may take.
  ///
  /// Enough for all of them at once, so that each document is written once; less where a segment
  /// that is too large for any part has taken that memory already.
  package var foldBytes: Int { bytes > Self.byteLimit * 3 / 2 ? 8 << 20 : 24 << 20 }

  /// Whether one more segment would make it too large; a segment too large for any part is one of
  /// its own.
  package func hasRoom(for weight: Weight) -> Bool {
    isEmpty || bytes + weight.bytes <= Self.byteLimit
  }

  /// How far a stream will be applied; nil if nothing of it is in this part.
  package func reached(_ stream: StreamID) -> UInt64? { reached[stream] }

  package mutating func append(_ file: File, weight: Weight) {
    let range = file.segment.segment.range
    files.append(file)
    reached[range.stream] = max(reached[range.stream] ?? 0, range.last)
    operations += weight.operations
    bytes += weight.bytes
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

    package init(operations: Int, bytes: Int) {
      self.operations = operations
      self.bytes = bytes
    }

    package init(of importable: ImportableSegment) {
      // The file's content is held for the archive.
      bytes = importable.bytes.count
      bytes += importable.segment.transactions.count * Self.transactionBytes
      var document: Dot?
      for operation in importable.segment.transactions.lazy.flatMap(\.operations) {
        operations += 1
        bytes += Self.operationBytes + operation.payload.count
        // Operations on one document, which stand together, share its id.
        if operation.insert != document { bytes += operation.document.id.bytes.count }
        document = operation.insert
      }
    }
  }
}
