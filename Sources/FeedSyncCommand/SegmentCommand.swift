import ArgumentParser
import CanonicalJSON
import FeedSync
import Foundation
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles
import SystemPackage

struct SegmentCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "segment", abstract: "Look into segment files.",
    subcommands: [SegmentDumpCommand.self, SegmentJoinCommand.self])
}

struct SegmentDumpCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump", abstract: "Print a segment file as JSON.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The file.", completion: .file()) var file: String

  func run() throws {
    let (segment, digest) = try SegmentFiles.read(file)
    Output.line(segment.json(digest: digest))
  }
}

struct SegmentJoinCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "join",
    abstract: "Write consecutive segments of one stream as one ranged segment.",
    discussion: """
      Nothing is dropped: the new segment carries the same transactions. It is written into DIR \
      under its proper name, which is printed; the old files stay.
      """)

  @OptionGroup var global: GlobalOptions
  @Option(
    help: ArgumentHelp("Where to write the new file.", valueName: "dir"), completion: .directory)
  var output: String
  @Argument(help: "The files, in any order.", completion: .file()) var files: [String]

  func run() throws {
    let segments = try files.map { try SegmentFiles.read($0).segment }
      .sorted { $0.range.first < $1.range.first }
    let joined: Segment
    do {
      joined = try Segment(joining: segments)
    } catch {
      throw FeedSyncError(error, operation: "join segments")
    }
    let (bytes, digest) = SegmentFile.encode(joined)
    do {
      // What no reader would take must not come to be.
      _ = try SegmentFile.decode(bytes)
    } catch {
      throw FeedSyncError(
        .badInput, operation: "join segments", message: "together they are too large for one",
        hint: "join fewer of them")
    }
    let name = SegmentName(
      first: joined.range.first, last: joined.range.last, digest: digest)
    guard let component = name.component() else { return }
    let path = FilePath(output).appending(component)
    try LinuxFileSystem().publish(
      bytes, at: path, temporaryName: ".feedsync-join.nosync")
    Output.path(path, format: global.format)
  }
}

enum SegmentFiles {
  static func read(_ file: String) throws -> (segment: Segment, digest: UInt64) {
    let bytes = try StandardInput.contents(
      of: file, limit: SegmentFile.maximumFileBytes, operation: "read the segment")
    do {
      return try SegmentFile.decode(bytes)
    } catch {
      let described = FeedSyncError(error, operation: "read the segment")
      throw FeedSyncError(
        described.code, operation: described.operation, file: file, message: described.message)
    }
  }
}
