import Foundation
import Replication
import SegmentFormat
import SharedFolder

/// Writes the segments of a workload's devices into a container, and counts what it writes.
///
/// Not durably: what a benchmark reads was written before it began.
struct SegmentWriter {
  let container: ContainerID
  let folder: String
  let packing: Packing
  /// How many operations the workload has; a document that is made takes one more.
  var operations = 0
  private var transactions = 0
  private var files = 0
  private var bytes = 0

  init(container: ContainerID, folder: String, packing: Packing) {
    self.container = container
    self.folder = folder
    self.packing = packing
  }

  /// As many transactions, and about as many bytes, as the store puts into one file.
  private static let mostTransactions = 4096
  private static let mostBytes = 2 << 20
  /// Of this many lone transactions the store writes one that does not lean on the one before it.
  private static let wholeInterval: UInt64 = 64

  /// - parameter device: its name, which its first segment tells.
  mutating func write(
    _ transactions: [Transaction], after start: StreamPosition, of device: String
  ) throws {
    var rest = transactions[...]
    var position = start
    while !rest.isEmpty {
      let count = packing == .single ? 1 : Self.count(fitting: rest)
      try write(rest.prefix(count), after: position, of: device)
      if let last = rest.prefix(count).last { position = StreamPosition(after: last.header) }
      rest = rest.dropFirst(count)
    }
  }

  private static func count(fitting transactions: ArraySlice<Transaction>) -> Int {
    var bytes = 0
    let fitting = transactions.prefix(mostTransactions).prefix { transaction in
      bytes += transaction.operations.reduce(64) { bytes, operation in
        bytes + operation.payload.count + operation.path.bytes.count + 24
      }
      return bytes <= mostBytes
    }
    return max(fitting.count, 1)
  }

  private mutating func write(
    _ part: ArraySlice<Transaction>, after start: StreamPosition, of device: String
  ) throws {
    guard let first = part.first?.header, let last = part.last?.header else { return }
    let leans = packing == .single && first.sequence % Self.wholeInterval != 0
    var previous = leans ? start : nil
    let encoded = part.map { transaction in
      defer { previous = StreamPosition(after: transaction.header) }
      return EncodedTransaction(transaction, after: previous)
    }
    let range = Segment.Range(
      container: container, stream: first.stream, first: first.sequence, last: last.sequence,
      fingerprintBefore: start.fingerprint)
    let file = SegmentFile.encode(
      Segment(
        range: range, attributes: first.sequence == 1 ? [.deviceName(device)] : [],
        transactions: encoded))
    let directory = URL(fileURLWithPath: folder).appendingPathComponent("logs")
      .appendingPathComponent(first.stream.description)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let name = SegmentName(first: first.sequence, last: last.sequence, digest: file.digest)
    try Data(file.bytes).write(to: directory.appendingPathComponent(name.text))
    transactions += part.count
    files += 1
    bytes += file.bytes.count
  }

  /// One JSON object: what was written.
  var summary: String {
    """
    {"operations":\(operations),"transactions":\(transactions),"files":\(files),"bytes":\(bytes)}
    """
  }
}
