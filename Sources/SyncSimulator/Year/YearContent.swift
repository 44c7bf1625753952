import Foundation
import ReferenceModel
import SegmentFormat
import SystemPackage

/// What the files of a folder hold, stream by stream: how much of that anybody needs.
struct YearContent: Codable {
  struct Stream: Codable {
    var device = 0
    var files = 0
    var bytes = 0
    /// Transactions with operations, and those of which nothing is left but a fingerprint.
    var transactions = 0
    var emptied = 0
    var operations = 0
    /// On documents that are there, and on such that are not; and the deletes among these.
    var ofThere = 0
    var ofGone = 0
    var deletes = 0
    /// Files from which something was dropped.
    var statements = 0
  }

  private(set) var streams: [Stream] = []

  /// - parameter there: the ids of the documents that are there.
  init(of household: YearHousehold, in folder: FilePath, there: Set<[UInt8]>) throws {
    for machine in household.machines {
      for name in try machine.streams() {
        let directory = folder.appending("logs").appending(name)
        streams.append(try Self.content(of: directory, by: machine.number, there))
      }
    }
  }

  private static func content(
    of directory: FilePath, by device: Int, _ there: Set<[UInt8]>
  ) throws -> Stream {
    var stream = Stream(device: device)
    // One that was begun last may be empty yet.
    guard FileManager.default.fileExists(atPath: directory.string) else { return stream }
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.string) {
      let path = directory.appending(name).string
      guard let data = FileManager.default.contents(atPath: path) else { continue }
      stream.files += 1
      stream.bytes += data.count
      count(try SegmentFile.decode([UInt8](data)).segment, there, into: &stream)
    }
    return stream
  }

  private static func count(
    _ segment: Segment, _ there: Set<[UInt8]>, into stream: inout Stream
  ) {
    if segment.isReduced { stream.statements += 1 }
    for transaction in segment.transactions {
      stream.emptied += transaction.reduced?.leftOut.count ?? 0
      if transaction.operations.isEmpty { stream.emptied += 1 } else { stream.transactions += 1 }
      for operation in transaction.operations {
        stream.operations += 1
        let isThere = there.contains(operation.document.id.bytes)
        stream.ofThere += isThere ? 1 : 0
        stream.ofGone += isThere ? 0 : 1
        if operation.kind == .delete { stream.deletes += 1 }
      }
    }
  }
}
