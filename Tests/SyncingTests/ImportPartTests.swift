import CanonicalJSON
import DocumentStorage
import Replication
import SegmentFormat
import Syncing
import SystemFiles
import Testing

@Suite("Parts of an import") struct ImportPartTests {
  private static let look = FileRecord.Look(size: 1, modified: 0, changed: 0, inode: 1)

  private func file(_ first: UInt64) throws -> ImportableSegment {
    let world = try World()
    let peer = try world.peer("ann", in: try world.folder("folder"))
    try peer.put("x", #"{"a":"0123456789"}"#)
    try peer.publish()
    let log = try #require(try world.logs(in: peer.folder).first)
    let (segment, digest) = try log.decoded()
    return ImportableSegment(
      segment: segment, digest: digest, bytes: log.bytes, isUnderOwnName: true,
      file: FileKey(directory: [], name: [UInt8(first)]))
  }

  @Test("a segment weighs its file, its operations and payloads, and each document's id once")
  func weight() throws {
    let segment = try file(1)
    let weight = ImportPart.Weight(of: segment)
    #expect(weight.operations == 2)
    #expect(segment.bytes.count > 100)
    // A clear, a set with one byte of type and ten of text; both on document "x".
    let fixed = ImportPart.Weight.transactionBytes + 2 * ImportPart.Weight.operationBytes
    #expect(weight.bytes == segment.bytes.count + fixed + 11 + 1)
  }

  @Test("a segment weighs the contexts of its transactions as they are once they are complete")
  func contexts() throws {
    let world = try World()
    let folder = try world.folder("folder")
    let (ann, bob) = (try world.peer("ann", in: folder), try world.peer("bob", in: folder))
    try bob.put("b", #"{"n":0}"#)
    try bob.publish()
    try ann.importAll()
    for number in 0..<3 { try ann.put("a\(number)", "{}", isPublishedAtOnce: false) }
    try ann.publish()
    let file = try #require(
      try world.logs(in: folder).first { $0.directory == ann.directory })
    let (segment, digest) = try file.decoded()
    #expect(segment.transactions.map(\.changes.count) == [1, 0, 0])
    let weight = ImportPart.Weight(
      of: ImportableSegment(
        segment: segment, digest: digest, bytes: file.bytes, isUnderOwnName: true,
        file: file.key))
    // Of each transaction one clear, of a document whose id has two bytes, and one entry.
    let each =
      ImportPart.Weight.transactionBytes + ImportPart.Weight.operationBytes + 2
      + ContextSize.entryBytes
    #expect(weight.bytes == file.bytes.count + 3 * each)
  }

  @Test("a part takes no segment that makes it too large, unless it is empty")
  func room() throws {
    var part = ImportPart()
    let large = ImportPart.Weight(operations: 1, bytes: ImportPart.byteLimit + 1)
    #expect(part.hasRoom(for: large))
    part.append(try file(1), look: Self.look, weight: ImportPart.Weight(operations: 1, bytes: 10))
    #expect(!part.isFull)
    #expect(!part.hasRoom(for: large))
    let rest = ImportPart.Weight(operations: 1, bytes: ImportPart.byteLimit - 10)
    #expect(part.hasRoom(for: rest))
    part.append(try file(2), look: Self.look, weight: rest)
    #expect(part.isFull)
    let usual = part.foldBytes
    part = ImportPart()
    part.append(
      try file(1), look: Self.look, weight: ImportPart.Weight(operations: 1, bytes: 64 << 20))
    #expect(part.foldBytes < usual)
  }

  @Test("a part is full by operations, too, and knows how far it brings each stream")
  func full() throws {
    var part = ImportPart()
    let file = try file(1)
    let stream = file.segment.range.stream
    #expect(part.reached(stream) == nil)
    part.append(
      file, look: Self.look,
      weight: ImportPart.Weight(operations: ImportPart.operationLimit, bytes: 1))
    #expect(part.isFull)
    #expect(part.reached(stream) == 1)
  }

  @Test("a part puts away what more files hold than a few, and takes as many as it has room for")
  func putsAway() throws {
    var part = ImportPart()
    let weight = ImportPart.Weight(operations: 1, bytes: 3 << 20, fileBytes: 1 << 20)
    for number in 1...13 {
      #expect(part.hasRoom(for: weight) && !part.isFull)
      part.append(try file(UInt64(number)), look: Self.look, weight: weight)
    }
    #expect(part.hasRoom(for: weight))
    part.append(try file(14), look: Self.look, weight: weight)
    #expect(part.isFull)
  }

  @Test("what was put away is read again when its turn comes")
  func readsAgain() throws {
    let importable = try file(1)
    let world = try World()
    let dumps = try [true, false].map { isOpen in
      let peer = try world.loner(isOpen ? "open" : "closed")
      let part = try peer.device.database.apply(
        held: [HeldSegment(importable, isOpen: isOpen)], now: peer.device.ambient.time, nonce: 1)
      #expect(part.segments == 1)
      return try peer.dump()
    }
    #expect(dumps[0] == dumps[1] && dumps[0].contains("0123456789"))
  }
}
