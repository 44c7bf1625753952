import ArgumentParser
import CanonicalJSON
import DocumentStorage
import FeedSync
import Foundation
import Replication
import Syncing

struct LoadCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "load", abstract: "Write many documents: reads what 'dump' prints.",
    discussion: """
      One line a document: {"body":{…},"collection":"…","id":"…"}. Each transaction is safe on \
      disk before the next begins. A bad line stops with its number; what earlier transactions \
      wrote stays.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The file; - or none for standard input.") var file: String = "-"
  @Option(help: "How many documents to write in one transaction.") var transactionSize = 1000

  /// How long local transactions wait for one another before they are published together.
  private static let publishMilliseconds: Int64 = 250
  /// A transaction is ended early when its documents have this many bytes.
  private static let transactionBytes = 16 << 20

  func validate() throws {
    guard transactionSize > 0 else {
      throw ValidationError("--transaction-size must be at least 1")
    }
  }

  func run() async throws {
    let device = try global.open(needsFolder: false)
    var lines = try LineReader(file: file)
    var progress = Progress(label: "loaded")
    var changed = 0
    var last: StoreWriter.Result?
    var published = device.ambient.now()
    // What earlier transactions wrote is published also where a bad line ends the command.
    defer { Writing.publish(device) }
    while true {
      let batch = try nextBatch(&lines)
      guard !batch.isEmpty else { break }
      var rest = batch[...]
      while !rest.isEmpty {
        let result = try write(&rest, to: device)
        changed += result.changed
        if result.sequence != nil { last = result }
      }
      progress.advance(by: batch.count)
      if device.ambient.now() - published >= Self.publishMilliseconds {
        Writing.publish(device)
        published = device.ambient.now()
      }
    }
    progress.finish()
    Writing.report(changed, last, format: global.format)
  }

  /// Writes as many documents as fit into one transaction, and takes them off the front.
  private func write(
    _ documents: inout ArraySlice<(DocumentKey, JSON)>, to device: Device
  ) throws -> StoreWriter.Result {
    var taken = 0
    let result = try device.database.writeDocuments(
      now: device.ambient.time, nonce: device.nonce, isPublishedAtOnce: false
    ) { writer in
      for (key, body) in documents where writer.bytes <= Self.transactionBytes {
        _ = try writer.put(body, at: key)
        taken += 1
      }
    }
    documents = documents.dropFirst(taken)
    return result
  }

  private func nextBatch(_ lines: inout LineReader) throws -> [(DocumentKey, JSON)] {
    var batch: [(DocumentKey, JSON)] = []
    var bytes = 0
    while batch.count < transactionSize, bytes < Self.transactionBytes,
      let line = try lines.next()
    {
      do {
        batch.append(try document(line))
      } catch let error as FeedSyncError {
        throw FeedSyncError(
          error.code, operation: "load", file: lines.name,
          message: "line \(lines.number): \(error.message)",
          hint: "earlier transactions are written; mend the line and load again")
      }
      bytes += line.count
    }
    return batch
  }

  private func document(_ line: [UInt8]) throws -> (DocumentKey, JSON) {
    let value = try DocumentArguments.json(line, operation: "load")
    guard case .object(let object) = value, object.members.count == 3,
      case .string(let collection) = object["collection"],
      case .string(let id) = object["id"], let body = object["body"]
    else {
      throw FeedSyncError(
        .badInput, operation: "load",
        message: #"a line has the members "body", "collection" and "id""#)
    }
    let key = DocumentKey(collection: collection, id: id)
    if let problem = key.problem { throw DocumentRules.error(problem) }
    try DocumentRules.check(body, operation: "load")
    return (key, body)
  }
}
