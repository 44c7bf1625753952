import CanonicalJSON
import DocumentStorage
import Replication
import SegmentFormat
import Syncing
import SystemFiles
import Testing

@Suite("Parts of an import") struct ImportPartTests {
  private static let look = FileRecord.Look(size: 1, modified: 0, changed: 0, inode: 1)

  private func file(_ first: UInt64) throws -> ImportPart.File {
    let world = try World()
    let peer = try world.peer("ann", in: try world.folder("folder"))
    try peer.put("x", #"{"a":"0123456789"}"#)
    try peer.publish()
    let log = try #require(try world.logs(in: peer.folder).first)
    let (segment, digest) = try log.decoded()
    let importable = ImportableSegment(
      segment: segment, digest: digest, bytes: log.bytes, isUnderOwnName: true,
      file: FileKey(directory: [], name: [UInt8(first)]))
    return (importable, Self.look)
  }

  @Test("a segment weighs its file, its operations and payloads, and each document's id once")
  func weight() throws {
    let segment = try file(1).segment
    let weight = ImportPart.Weight(of: segment)
    #expect(weight.operations == 2)
    #expect(segment.bytes.count > 100)
    // A clear, a set with one byte of type and ten of text; both on document "x".
    let fixed = ImportPart.Weight.transactionBytes + 2 * ImportPart.Weight.operationBytes
    #expect(weight.bytes == segment.bytes.count + fixed + 11 + 1)
  }

  @Test("a part takes no segment that makes it too large, unless it is empty")
  func room() throws {
    var part = ImportPart()
    let large = ImportPart.Weight(operations: 1, bytes: ImportPart.byteLimit + 1)
    #expect(part.hasRoom(for: large))
    part.append(try file(1), weight: ImportPart.Weight(operations: 1, bytes: 10))
    #expect(!part.isFull)
    #expect(!part.hasRoom(for: large))
    let rest = ImportPart.Weight(operations: 1, bytes: ImportPart.byteLimit - 10)
    #expect(part.hasRoom(for: rest))
    part.append(try file(2), weight: rest)
    #expect(part.isFull)
    let usual = part.foldBytes
    part = ImportPart()
    part.append(try file(1), weight: ImportPart.Weight(operations: 1, bytes: 64 << 20))
    #expect(part.foldBytes < usual)
  }

  @Test("a part is full by operations, too, and knows how far it brings each stream")
  func full() throws {
    var part = ImportPart()
    let file = try file(1)
    let stream = file.segment.segment.range.stream
    #expect(part.reached(stream) == nil)
    part.append(
      file, weight: ImportPart.Weight(operations: ImportPart.operationLimit, bytes: 1))
    #expect(part.isFull)
    #expect(part.reached(stream) == 1)
  }
}
