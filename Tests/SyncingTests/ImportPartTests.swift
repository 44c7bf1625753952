import CanonicalJSON
import DocumentStorage
import Replication
import SegmentFormat
import Syncing
import SystemFiles
import Testing

@Suite("Parts of an import") struct ImportPartTests {
  private static let look = FileRecord.Look(size: 1, modified: 0, changed: 0, inode: 1)

  private func file(_ number: UInt64) throws -> QueuedSegment {
    let world = try World()
    let peer = try world.peer("ann", in: try world.folder("folder"))
    try peer.put("x", #"{"a":"0123456789"}"#)
    try peer.publish()
    let log = try #require(try world.logs(in: peer.folder).first)
    let held = try HeldSegment(
      log.bytes, file: FileKey(directory: [], name: [UInt8(number)]), namedDigest: { _ in nil })
    return SegmentsAhead().add(held)
  }

  @Test("a segment weighs its file, and what that says it unpacks to")
  func weight() throws {
    let segment = try file(1).held
    let weight = SegmentWeight(of: segment)
    #expect(weight.operations == 2)
    #expect(weight.transactions == 1)
    #expect(segment.bytes.count > 100)
    #expect(weight.fileBytes == segment.bytes.count + SegmentWeight.fileOverhead)
    // A clear and a set, in one transaction.
    let fixed = SegmentWeight.transactionBytes + 2 * SegmentWeight.operationBytes
    #expect(weight.bytes == weight.fileBytes + segment.extent.bodyBytes + fixed)
  }

  @Test("a part takes no segment that makes it too large, unless it is empty")
  func room() throws {
    var part = ImportPart()
    let large = SegmentWeight(operations: 1, bytes: ImportPart.byteLimit + 1)
    #expect(part.hasRoom(for: large))
    part.append(try file(1), look: Self.look, weight: SegmentWeight(operations: 1, bytes: 10))
    #expect(!part.isFull)
    #expect(!part.hasRoom(for: large))
    let rest = SegmentWeight(operations: 1, bytes: ImportPart.byteLimit - 10)
    #expect(part.hasRoom(for: rest))
    part.append(try file(2), look: Self.look, weight: rest)
    #expect(part.isFull)
    let usual = part.foldBytes
    part = ImportPart()
    part.append(
      try file(1), look: Self.look, weight: SegmentWeight(operations: 1, bytes: 64 << 20))
    #expect(part.foldBytes < usual)
  }

  @Test("a part is full by operations, too, and knows how far it brings each stream")
  func full() throws {
    var part = ImportPart()
    let file = try file(1)
    let stream = file.held.range.stream
    #expect(part.reached(stream) == nil)
    part.append(
      file, look: Self.look,
      weight: SegmentWeight(operations: ImportPart.operationLimit, bytes: 1))
    #expect(part.isFull)
    #expect(part.reached(stream) == 1)
  }

  @Test("and by transactions, of which compacted ones have few operations")
  func manyTransactions() throws {
    var part = ImportPart()
    let count = ImportPart.transactionLimit / 2
    let half = SegmentWeight(operations: count, transactions: count, bytes: 1)
    part.append(try file(1), look: Self.look, weight: half)
    #expect(!part.isFull)
    part.append(try file(2), look: Self.look, weight: half)
    #expect(part.isFull)
  }

  @Test("of those that are more than the operations, eight count as one")
  func leftOutTransactions() throws {
    var part = ImportPart()
    let count = ImportPart.transactionLimit * 4
    let half = SegmentWeight(operations: 8, transactions: count, bytes: 1)
    part.append(try file(1), look: Self.look, weight: half)
    #expect(!part.isFull)
    part.append(try file(2), look: Self.look, weight: half)
    #expect(part.isFull)
  }

  @Test("a part takes as many files as it has room for, whatever they unpack to")
  func manyFiles() throws {
    var part = ImportPart()
    let weight = SegmentWeight(operations: 1, bytes: 3 << 20, fileBytes: 1 << 20)
    for number in 1...15 {
      #expect(part.hasRoom(for: weight) && !part.isFull)
      part.append(try file(UInt64(number)), look: Self.look, weight: weight)
    }
    #expect(part.hasRoom(for: weight))
    part.append(try file(16), look: Self.look, weight: weight)
    #expect(part.isFull)
  }

  @Test("a file that does not keep what its header says is rejected when its turn comes")
  func malformed() throws {
    let held = try file(1).held
    let whole = try SegmentFile.decode(held.bytes).segment
    let range = Segment.Range(
      container: held.range.container, stream: held.range.stream, first: held.range.first,
      last: held.range.last + 1, fingerprintBefore: held.range.fingerprintBefore)
    let lying = SegmentFile.encode(
      Segment(range: range, attributes: whole.attributes, transactions: whole.transactions))
    let key = FileKey(directory: [], name: [2])
    let broken = try HeldSegment(lying.bytes, file: key, namedDigest: { _ in lying.digest })
    #expect(throws: SegmentError.self) { try broken.verify() }
    let peer = try World().loner("ann")
    let part = try peer.device.database.apply(
      held: [broken, held], now: peer.device.ambient.time, nonce: 1)
    #expect(part.rejected.keys.map(\.self) == [key] && part.applied == [held.file])
    #expect(try peer.dump().contains("0123456789"))
  }
}
