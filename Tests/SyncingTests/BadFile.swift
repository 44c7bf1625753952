import DocumentStorage
import Glibc
import Replication
import SegmentFormat
import SystemFiles
import SystemPackage
import Testing

/// What may stand where a segment should.
enum BadFile: String, CaseIterable, Sendable, CustomStringConvertible {
  case empty
  case cut
  case flipped
  case text
  case trailing
  /// Its checksum is right, and its content makes no sense.
  case malformed
  case newer
  case otherContainer
  case directory
  case symbolicLink
  case danglingLink
  case fifo
  case unreadable

  var description: String { rawValue }

  /// Those that can be made on a kind of file system: root may read everything.
  static func possible(in kind: World.Kind) -> [BadFile] {
    allCases.filter { kind == .fake || $0 != .unreadable }
  }

  static let everywhere: [(World.Kind, BadFile)] = World.Kind.allCases.flatMap { kind in
    possible(in: kind).map { (kind, $0) }
  }

  var reason: FileRecord.Reason {
    switch self {
    case .empty, .cut: .incomplete
    case .flipped, .text, .trailing, .malformed: .damaged
    case .newer: .newer
    case .otherContainer: .otherContainer
    case .directory, .symbolicLink, .danglingLink, .fifo: .notAFile
    case .unreadable: .unreadable
    }
  }

  /// Puts this where `file` belongs.
  func place(_ file: LogFile, in folder: FilePath, of world: World) throws {
    let path = file.path(in: folder)
    switch self {
    case .empty: try world.place([], at: path)
    case .cut: try world.place(Array(file.bytes.dropLast(5)), at: path)
    case .flipped:
      var bytes = file.bytes
      bytes[bytes.count / 2] ^= 0x10
      try world.place(bytes, at: path)
    case .text: try world.place(Array("no segment\n".utf8), at: path)
    case .trailing: try world.place(file.bytes + [0], at: path)
    case .malformed: try world.place(Self.withoutTransactions(file.bytes), at: path)
    case .newer: try world.place(Self.demandingNewerReader(file.bytes), at: path)
    case .otherContainer: try world.place(Self.ofOtherContainer(file.bytes), at: path)
    case .directory:
      try world.makeDirectories(path.parent)
      try world.files.makeDirectory(path, mode: 0o755)
    case .symbolicLink:
      // To the very content: a link is not followed all the same.
      let target = folder.appending("elsewhere")
      try world.place(file.bytes, at: target)
      try Self.link(path, to: target, in: world)
    case .danglingLink: try Self.link(path, to: "nowhere", in: world)
    case .fifo:
      try world.makeDirectories(path.parent)
      if let fake = world.fake { return fake.putSpecial(path, kind: .fifo) }
      try #require(mkfifo(path.string, 0o644) == 0)
    case .unreadable:
      try world.place(file.bytes, at: path)
      world.fake?.setRefused(true, path)
    }
  }

  /// Makes it whole.
  func heal(_ file: LogFile, in folder: FilePath, of world: World) throws {
    let path = file.path(in: folder)
    switch self {
    case .unreadable: world.fake?.setRefused(false, path)
    case .directory, .symbolicLink, .danglingLink, .fifo:
      try world.remove(path)
      try world.deliver(file, to: folder)
    default: try world.deliver(file, to: folder)
    }
  }

  private static func link(_ path: FilePath, to target: FilePath, in world: World) throws {
    try world.makeDirectories(path.parent)
    if let fake = world.fake { return fake.putLink(path, to: target) }
    try #require(symlink(target.string, path.string) == 0)
  }

  private static func demandingNewerReader(_ bytes: [UInt8]) -> [UInt8] {
    var content = Array(bytes.dropLast(8))
    content[4] = UInt8(SegmentFile.version) + 1
    content[5] = UInt8(SegmentFile.version) + 1
    content.append(bigEndian: Digest.first64(content))
    return content
  }

  private static func withoutTransactions(_ bytes: [UInt8]) throws -> [UInt8] {
    let segment = try SegmentFile.decode(bytes).segment
    return SegmentFile.encode(
      Segment(range: segment.range, attributes: segment.attributes, transactions: [])
    ).bytes
  }

  private static func ofOtherContainer(_ bytes: [UInt8]) throws -> [UInt8] {
    let segment = try SegmentFile.decode(bytes).segment
    let range = segment.range
    let moved = Segment.Range(
      container: ContainerID(rawValue: 5), stream: range.stream, first: range.first,
      last: range.last, fingerprintBefore: range.fingerprintBefore)
    return SegmentFile.encode(
      Segment(
        range: moved, attributes: segment.attributes, transactions: segment.transactions)
    ).bytes
  }
}
