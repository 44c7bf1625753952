import ArgumentParser
import FeedSync
import Foundation
import Replication
import SharedFolder
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
      field,value],…]}, clock = milliseconds × 4096. A value of null takes the field away, a field \
      of null deletes the document. Devices exchange everything between rounds.
      """)

  @Argument(help: "The folder with txns.jsonl.") var workload: String
  @Argument(help: "A folder that does not exist yet: it becomes the container.") var output: String
  @Option(help: "ranged or single.") var packing: Packing = .ranged
  @Option(help: "How often the transactions are written, each time later.") var times = 1
  @Option(
    help: ArgumentHelp(
      "A folder to make for the transactions of DIR/incr.jsonl, a file each: what comes next.",
      valueName: "folder"))
  var more: String?

  func run() throws {
    let marker = Marker(container: .random(), identifier: "workload")
    try makeContainer(marker, at: output)
    var replay = WorkloadReplay(
      files: SegmentWriter(container: marker.container, folder: output, packing: packing))
    for pass in 0..<times {
      if pass > 0 { try replay.beginAgain() }
      try read("txns.jsonl", into: &replay)
    }
    try replay.exchange()
    let summary = replay.files.summary
    if let more {
      try makeContainer(marker, at: more)
      replay.files = SegmentWriter(container: marker.container, folder: more, packing: .single)
      try read("incr.jsonl", into: &replay)
      try replay.exchange()
    }
    print(summary)
  }

  private func makeContainer(_ marker: Marker, at path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    _ = try ContainerFolder(root: FilePath(path), files: LinuxFileSystem()).create(
      marker, temporaryName: ".feedsync-workload.nosync")
  }

  private func read(_ name: String, into replay: inout WorkloadReplay) throws {
    let url = URL(fileURLWithPath: workload).appendingPathComponent(name)
    let bytes = [UInt8](try Data(contentsOf: url))
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      try replay.run(try WorkloadTransaction(parsing: Array(line)))
    }
  }
}
