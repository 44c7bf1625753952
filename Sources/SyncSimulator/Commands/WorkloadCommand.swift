import ArgumentParser
import CanonicalJSON
import DocumentStorage
import FeedSync
import Foundation
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage

/// How transactions become files.
enum Packing: String, CaseIterable, ExpressibleByArgument {
  /// A file for each device and round.
  case ranged
  /// A file for each transaction.
  case single
}

struct WorkloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "workload",
    abstract: "Writes a workload's transactions into a container, as its devices would have.",
    discussion: """
      DIR/txns.jsonl has a transaction a line: {"d":device,"t":clock,"r":round,"ops":[[document,\
      field,value],…]}, clock = milliseconds × 4096. Devices exchange everything between rounds.
      """)

  @Argument(help: "The folder with txns.jsonl.") var workload: String
  @Argument(help: "A folder that does not exist yet: it becomes the container.") var output: String
  @Option(help: "ranged or single.") var packing: Packing = .ranged

  func run() throws {
    let text = try String(contentsOfFile: workload + "/txns.jsonl", encoding: .utf8)
    try FileManager.default.createDirectory(
      atPath: output, withIntermediateDirectories: false)
    var replay = try WorkloadReplay(container: FilePath(output), packing: packing)
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      try replay.run(try WorkloadTransaction(parsing: Array(line)))
    }
    try replay.finish()
    print(replay.summary)
  }
}

/// One line of a workload.
private struct WorkloadTransaction {
  let device: Int64
  let time: HybridTime
  let round: Int64
  let operations: [(document: ByteString, field: ByteString, value: JSON)]

  init(parsing line: [UInt8]) throws {
    guard case .object(let object) = try JSON(parsing: line),
      case .integer(let device) = object["d"], case .integer(let clock) = object["t"],
      case .integer(let round) = object["r"], case .array(let operations) = object["ops"]
    else { throw ValidationError("a line of txns.jsonl is not a transaction") }
    self.device = device
    time = HybridTime(milliseconds: clock >> 12, counter: UInt16(clock & 0xFFF))
    self.round = round
    self.operations = try operations.map { operation in
      guard case .array(let parts) = operation, parts.count == 3,
        case .string(let document) = parts[0], case .string(let field) = parts[1]
      else { throw ValidationError("an operation is not [document, field, value]") }
      return (document, field, parts[2])
    }
  }
}

/// Replays a workload on devices with databases in memory and a real folder.
private struct WorkloadReplay {
  private let marker: Marker
  private let container: ContainerFolder
  private let packing: Packing
  private var devices: [Int64: Device] = [:]
  private var round: Int64 = 0
  private var operations = 0
  private var transactions = 0

  init(container path: FilePath, packing: Packing) throws {
    container = ContainerFolder(root: path, files: LinuxFileSystem())
    marker = try container.create(
      Marker(container: .random(), identifier: "workload"),
      temporaryName: ".feedsync-workload.nosync")
    self.packing = packing
  }

  mutating func run(_ transaction: WorkloadTransaction) throws {
    if transaction.round != round {
      try exchange()
      round = transaction.round
    }
    let device = try device(transaction.device)
    _ = try device.database.writeDocuments(
      now: transaction.time, nonce: device.nonce, isPublishedAtOnce: packing == .single
    ) { writer in
      for operation in transaction.operations {
        let key = DocumentKey(collection: "items", id: operation.document)
        var patch = JSONObject()
        patch[operation.field] = operation.value
        _ = try writer.patch(.object(patch), at: key, rewritesEqual: true)
      }
    }
    operations += transaction.operations.count
    transactions += 1
  }

  mutating func finish() throws { try exchange() }

  private func exchange() throws {
    for device in devices.values { _ = try Publisher(device: device).publishAll() }
    for device in devices.values { _ = try Importer(device: device).importAll() }
  }

  private mutating func device(_ number: Int64) throws -> Device {
    if let device = devices[number] { return device }
    let record = DeviceRecord(
      container: marker.container, marker: marker.bytes, path: container.root,
      stream: .random(), name: "device-\(number)")
    let database = try StoreDatabase.inMemory()
    try database.save(record)
    let device = Device(
      record: record, database: database, container: container,
      ambient: Ambient(
        now: { 0 }, random: { UInt64.random(in: .min ... .max) }))
    devices[number] = device
    return device
  }

  /// One JSON object: what was written, and how large it is in the folder.
  var summary: String {
    var bytes: Int64 = 0
    var files = 0
    if let listing = try? container.list() {
      for file in listing.segments {
        let path = container.logs.appending(file.directory).appending(file.name)
        guard let status = try? container.files.status(of: path) else { continue }
        bytes += status.size
        files += 1
      }
    }
    let perOperation = Double(bytes) / Double(max(operations, 1))
    return """
      {"operations":\(operations),"transactions":\(transactions),"files":\(files),\
      "bytes":\(bytes),"bytes_per_operation":\(String(format: "%.1f", perOperation))}
      """
  }
}
