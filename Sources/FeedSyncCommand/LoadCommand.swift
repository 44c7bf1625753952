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

      Interrupted by SIGINT or SIGTERM, or killed, it leaves whole transactions. The same command \
      on the same file goes on behind them, so that edits made since are not undone; on another \
      input it writes only what differs. A second signal ends it at once. With --verbose it tells \
      each commit.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The file; - or none for standard input.") var file: String = "-"
  @Option(
    parsing: .unconditional,
    help: "How many documents to write in one transaction; fewer where they have 2 MiB.")
  var transactionSize = 1000
  @Flag(help: "Load all of a file, also if an earlier load of it was interrupted.")
  var fromStart = false

  func validate() throws {
    guard transactionSize > 0 else {
      throw ValidationError("--transaction-size must be at least 1")
    }
  }

  func run() throws {
    LargeBlocks.keepSmallOnes()
    let device = try global.open(needsFolder: false)
    let directory = try global.directory()
    let state = directory.directory(of: device.record.container)
    var interruption: Interruption?
    // Opening a FIFO waits for its writer; until then, a signal ends the command as it always did.
    let lines = try LineReader(file: file) {
      interruption = Interruption()
      return interruption
    }
    var load = try LoadRun(
      device: device, lines: lines, interruption: interruption,
      transactionSize: transactionSize,
      journal: LoadJournal(directory: state, files: directory.files))
    if let line = try load.begin(fromStart: fromStart) {
      Output.warn(
        "feedsync: going on behind line \(line) of \(lines.name), where a load of it was"
          + " interrupted; --from-start loads all of it")
    }
    if global.verbose {
      load.onCommit = { Output.warn("feedsync: written up to line \($0)") }
    }
    let end = try finish(&load, device: device)
    guard end == .interrupted, let interruption else {
      try load.conclude()
      return Writing.report(load.changed, load.last, format: global.format)
    }
    interruption.end(
      InterruptionText(operation: "load", file: lines.name, message: load.summary, hint: hint),
      format: global.format)
  }

  /// Loads, and publishes what was written also where a bad line or a signal ends it.
  private func finish(_ load: inout LoadRun, device: Device) throws -> LoadRun.End {
    defer { Writing.publish(device) }
    return try load.writeAll()
  }

  private var hint: String {
    file == "-"
      ? "load it again: documents that are there already are not written again"
      : "the same command goes on behind them"
  }
}
