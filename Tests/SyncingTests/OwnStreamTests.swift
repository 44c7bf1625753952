import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import Synchronization
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// protocol.md 25 and 27; lessons.md 12 and 14.
@Suite("A device's own stream") struct OwnStreamTests {
  private static func stream(of peer: Peer) throws -> StreamID? {
    try peer.device.database.device()?.stream
  }

  // Lesson 14.
  @Test("is left for a new one before publishing into a folder with what it did not write")
  func foreignFile() throws {
    let world = try World()
    let folder = try world.folder("shared")
    let ann = try world.peer("ann", in: folder)
    let twin = try BranchTests.clone(of: ann, in: folder, world: world)
    try ann.put("a", #"{"n":1}"#)
    try ann.publish()
    try twin.put("b", #"{"n":2}"#)
    try twin.publish()
    #expect(try Self.stream(of: twin) != ann.stream)
    // What was acknowledged under the old stream stays what it was.
    #expect(try world.logs(in: folder).count { $0.directory == ann.directory } == 2)
    try twin.importAll()
    try ann.importAll()
    #expect(try Self.stream(of: ann) != ann.stream)
    #expect(try ann.dump() == twin.dump())
    #expect(try ann.body("a") != nil && ann.body("b") != nil)
  }

  @Test("stays the same while only this device's processes write it")
  func ownFiles() throws {
    let world = try World()
    let folder = try world.folder("shared")
    let ann = try world.peer("ann", in: folder)
    let process = try world.peer("ann", in: folder, database: ann.device.database)
    for number in 0..<5 {
      try ann.put("a\(number)", "{}")
      try process.publish()
      try process.put("b\(number)", "{}")
      try ann.importAll()
    }
    #expect(try Self.stream(of: ann) == ann.stream)
  }

  // Lesson 14.
  @Test("is left where another has seen more of it than this database has written")
  func seenByAnother() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let bob = try world.peer("bob", in: try world.folder("bob"))
    try ann.put("a", "{}")
    try ann.publish()
    for file in try world.logs(in: ann.folder) { try world.deliver(file, to: bob.folder) }
    try bob.importAll()
    try bob.put("b", "{}")
    try bob.publish()
    // The database as it was before it had written anything, and a folder without its files.
    let restored = try BranchTests.clone(of: ann, in: try world.folder("new"), world: world)
    for file in try world.logs(in: bob.folder) where file.directory == bob.directory {
      try world.deliver(file, to: restored.folder)
    }
    #expect(try restored.importAll().hasNewStream)
    try restored.put("c", "{}")
    try restored.publish()
    #expect(try world.logs(in: restored.folder).allSatisfy { $0.directory != ann.directory })
  }

  @Test("is left where the database finds itself elsewhere, and what waits is published as it was")
  func otherEnvironment() throws {
    let world = try World()
    let folder = try world.folder("shared")
    let place = Place()
    let database = try StoreDatabase.inMemory(
      identity: DeviceIdentity(environment: { place.bytes }, mint: { StreamID(rawValue: 77) }))
    let ann = try world.peer("ann", in: folder, database: database)
    try ann.put("a", "{}")
    place.move()
    try ann.put("b", "{}")
    #expect(try Self.stream(of: ann) == StreamID(rawValue: 77))
    #expect(try database.unpublishedCount() == 2)
    try ann.publish()
    let reader = try world.peer("reader", in: folder)
    try reader.importAll()
    #expect(try reader.dump() == ann.dump())
    #expect(try reader.device.database.streamSummaries().map(\.applied).sorted() == [0, 1, 1])
    try ann.put("c", "{}")
    #expect(try Self.stream(of: ann) == StreamID(rawValue: 77))
  }

  @Test("is left, too, where the database was copied before it had written anything")
  func copiedUnwritten() throws {
    let world = try World()
    let place = Place()
    let database = try StoreDatabase.inMemory(
      identity: DeviceIdentity(environment: { place.bytes }, mint: { StreamID(rawValue: 77) }))
    let ann = try world.peer("ann", in: try world.folder("shared"), database: database)
    place.move()
    try ann.put("a", "{}")
    #expect(try Self.stream(of: ann) == StreamID(rawValue: 77))
    try ann.publish()
    #expect(try world.logs(in: ann.folder).allSatisfy { $0.directory != ann.directory })
    #expect(try ann.device.database.unpublishedCount() == 0)
  }

  @Test("that is left with a file in the folder that nobody noted gets no second one of the same")
  func fileBeforeNote() throws {
    let world = try World()
    let place = Place()
    let database = try StoreDatabase.inMemory(
      identity: DeviceIdentity(environment: { place.bytes }, mint: { StreamID(rawValue: 77) }))
    let ann = try world.peer("ann", in: try world.folder("shared"), database: database)
    try ann.put("a", "{}")
    try ann.publish()
    try ann.put("b", "{}")
    let batch = try #require(try database.nextBatch())
    // A transaction alone leans on the one before it, while the stream is the device's.
    #expect(batch.first == 2 && batch.earlier == nil)
    _ = try ann.device.container.publish(batch.segment, temporaryName: "t1")
    place.move()
    try ann.put("c", "{}")
    let former = try #require(try database.nextBatch())
    let range = batch.segment.range
    let digest = SegmentFile.encode(batch.segment).digest
    #expect(former.segment.range == range)
    #expect(SegmentFile.encode(former.segment).digest != digest)
    try ann.publish()
    let files = try world.logs(in: ann.folder).map { try $0.decoded().segment.range }
    #expect(files.count { $0.stream == range.stream && $0.first == 2 } == 1)
    #expect(files.count == 3)
    #expect(try database.unpublishedCount() == 0)
  }

  @Test("stays the same where processes of one device see its machine differently, by turns")
  func turns() throws {
    let world = try World()
    let place = Place()
    let number = Mutex<UInt64>(100)
    let database = try StoreDatabase.inMemory(
      identity: DeviceIdentity(
        environment: { place.bytes },
        mint: {
          StreamID(
            rawValue: UInt128(
              number.withLock {
                $0 += 1
                return $0
              }))
        }))
    let ann = try world.peer("ann", in: try world.folder("folder"), database: database)
    for turn in 0..<6 {
      try ann.put("a\(turn)", "{}")
      if turn.isMultiple(of: 2) { place.move() } else { place.moveBack() }
    }
    // Once for the second place; neither is new after that.
    #expect(number.withLock { $0 } == 101)
  }

  @Test("stays the same where what the machine is known by says nothing")
  func saysNothing() throws {
    let world = try World()
    let database = try StoreDatabase.inMemory(
      identity: DeviceIdentity(environment: { [0, 0] }, mint: { StreamID(rawValue: 77) }))
    let ann = try world.peer("ann", in: try world.folder("folder"), database: database)
    for number in 0..<3 { try ann.put("a\(number)", "{}") }
    #expect(try Self.stream(of: ann) != StreamID(rawValue: 77))
  }

  @Test("is put back beside a file of the same name that is damaged, and only once")
  func damaged() throws {
    let world = try World()
    let folder = try world.folder("shared")
    let ann = try world.peer("ann", in: folder)
    for number in 0..<2 {
      try ann.put("a\(number)", "{}")
      try ann.publish()
    }
    let files = try world.logs(in: folder)
    try world.place(Array(files[0].bytes.dropLast()), at: files[0].path(in: folder))
    #expect(try ann.importAll().putBack == 1)
    let reader = try world.peer("reader", in: folder)
    try reader.importAll()
    #expect(try reader.dump() == ann.dump())
    #expect(try ann.importAll().putBack == 0)
    #expect(try world.logs(in: folder).count == 3)
  }

  // Lesson 12.
  @Test("is put back, byte for byte, where the folder has lost something of it")
  func healing() throws {
    let world = try World()
    let folder = try world.folder("shared")
    let ann = try world.peer("ann", in: folder)
    for number in 0..<3 {
      try ann.put("a\(number)", "{}")
      try ann.publish()
    }
    let files = try world.logs(in: folder)
    try world.remove(files[1].path(in: folder))
    #expect(try ann.importAll().putBack == 1)
    #expect(try world.logs(in: folder) == files)
    #expect(try ann.importAll().putBack == 0)
  }

  @Test("is put back also where only an older state of its device is left, which never wrote it")
  func healingTwiceRestored() throws {
    let world = try World()
    let folder = try world.folder("shared")
    let ann = try world.peer("ann", in: folder)
    try ann.put("a", "{}")
    try ann.publish()
    // Put back to before that, it goes on under another stream; then it is put back again.
    let second = try BranchTests.clone(of: ann, in: folder, world: world)
    try second.importAll()
    try second.put("b", "{}")
    try second.publish()
    let third = try BranchTests.clone(of: ann, in: folder, world: world)
    try third.importAll()
    let files = try world.logs(in: folder)
    #expect(Set(files.map(\.directory)).count == 2)
    for file in files { try world.remove(file.path(in: folder)) }
    #expect(try third.importAll().putBack == 2)
    #expect(try world.logs(in: folder) == files)
  }

  @Test("is put back though another device's directory, or its own for a while, cannot be listed")
  func unreadableDirectory() throws {
    let world = try World()
    let folder = try world.folder("shared")
    let (ann, bob) = (try world.peer("ann", in: folder), try world.peer("bob", in: folder))
    for peer in [ann, bob] {
      try peer.put("a", "{}")
      try peer.publish()
    }
    try ann.importAll()
    let file = try #require(try world.logs(in: folder).first { $0.directory == ann.directory })
    let directories = [bob, ann].map { folder.appending("logs").appending($0.directory) }
    world.fake?.setRefused(true, directories[0])
    try world.remove(file.path(in: folder))
    #expect(try ann.importAll().putBack == 1)
    try world.remove(file.path(in: folder))
    world.fake?.setRefused(true, directories[1])
    #expect(try ann.importAll().putBack == 0)
    for directory in directories { world.fake?.setRefused(false, directory) }
    #expect(try ann.importAll().putBack == 1)
    #expect(try world.logs(in: folder).contains(file))
  }

  @Test("is put back by another where its device is known never to come back")
  func retired() throws {
    let world = try World()
    let folder = try world.folder("shared")
    let ann = try world.peer("ann", in: folder)
    let bob = try world.peer("bob", in: folder)
    try ann.put("a", "{}")
    try ann.publish()
    try bob.importAll()
    let files = try world.logs(in: folder)
    try world.remove(files[0].path(in: folder))
    #expect(try bob.importAll().putBack == 0)
    try bob.device.database.retire(ann.stream, now: 1)
    #expect(try bob.importAll().putBack == 1)
    #expect(try world.logs(in: folder) == files)
  }
}

/// Where a database believes to be.
private final class Place: Sendable {
  private let number = Mutex<UInt8>(1)
  var bytes: [UInt8] { [number.withLock { $0 }] }
  func move() { number.withLock { $0 += 1 } }
  func moveBack() { number.withLock { $0 -= 1 } }
}
