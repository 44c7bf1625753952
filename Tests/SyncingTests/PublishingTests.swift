import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("Publishing") struct PublishingTests {
  @Test(
    "again after a crash between file and note finds the file there", arguments: World.Kind.allCases
  )
  func crashBeforeNote(kind: World.Kind) throws {
    let world = try World(kind)
    let ann = try world.peer("ann", in: try world.folder("ann"))
    try ann.put("a", #"{"n":1}"#)
    let batch = try #require(try ann.device.database.nextBatch())
    let container = ann.device.container
    let first = try container.publish(batch.segment, temporaryName: "t1")
    #expect(first.publication == .written)
    let files = try world.logs(in: ann.folder)
    // The process ended here; another one finds the batch still to be published.
    let again = try ann.publish()
    #expect(again.transactions == 1)
    #expect(again.renamed.isEmpty)
    #expect(try world.logs(in: ann.folder) == files)
    #expect(try ann.device.database.unpublishedCount() == 0)
    #expect(try ann.publish().transactions == 0)
  }

  @Test("what a former stream still has is no condition for the present one, where it is refused")
  func refusedFormerStream() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let (former, directory) = (ann.stream, ann.directory)
    try ann.put("a", "{}")
    try ann.publish()
    try ann.put("b", "{}")
    #expect(try ann.device.database.beginStream(insteadOf: former))
    try ann.put("c", "{}")
    let path = ann.device.container.logs.appending(directory)
    world.fake?.setRefused(true, path)
    #expect(throws: FileError.self) { try ann.publish() }
    #expect(try ann.device.database.unpublishedCount() == 1)
    let present = try #require(try ann.device.database.device()?.stream)
    #expect(
      try world.logs(in: ann.folder, except: directory).map(\.directory.string)
        == [present.description])
    // Who writes is told of that alone, and what the folder loses of the present one is put back.
    try Publisher(device: ann.device).publishOwn(remembering: Publisher.Memory())
    let own = try #require(try world.logs(in: ann.folder, except: directory).first)
    try ann.importAll()
    try world.remove(own.path(in: ann.folder))
    let report = try ann.importAll()
    #expect(report.publishingFailure is FileError)
    #expect(report.putBack == 1)
    world.fake?.setRefused(false, path)
    #expect(try ann.publish().transactions == 1)
    #expect(try ann.device.database.unpublishedCount() == 0)
  }

  @Test("finds the same content in another compression", arguments: World.Kind.allCases)
  func otherCompression(kind: World.Kind) throws {
    let world = try World(kind)
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let text = String(repeating: "abc ", count: 500)
    try ann.put("a", #"{"text":"\#(text)"}"#)
    let batch = try #require(try ann.device.database.nextBatch())
    let plain = SegmentFile.encode(batch.segment, compressing: false)
    let name = SegmentName(first: batch.first, last: batch.last, digest: plain.digest)
    let path = ann.device.container.directory(of: ann.stream).appending(name.text)
    try world.place(plain.bytes, at: path)
    let report = try ann.publish()
    #expect(report.renamed.isEmpty)
    #expect(try world.logs(in: ann.folder).map(\.bytes) == [plain.bytes])
  }

  @Test("keeps the borders of a batch as they were fixed, whatever is written meanwhile")
  func borders() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    try ann.put("a", #"{"n":1}"#)
    let batch = try #require(try ann.device.database.nextBatch())
    for number in 2...5 { try ann.put("a", #"{"n":\#(number)}"#) }
    let same = try #require(try ann.device.database.nextBatch())
    #expect(same.first == batch.first)
    #expect(same.last == batch.last)
    #expect(SegmentFile.encode(same.segment).bytes == SegmentFile.encode(batch.segment).bytes)
    try ann.publish()
    let ranges = try world.logs(in: ann.folder).map { try $0.decoded().segment.range }
    #expect(ranges.reduce(0) { $0 + $1.last - $1.first + 1 } == 5)
    #expect(Set(ranges.map(\.stream)) == [ann.stream])
  }

  @Test("tells the device's name with the first segment, and again once it has changed")
  func deviceName() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    try ann.put("a", "{}")
    try ann.put("b", "{}")
    let old = ann.device.record
    try ann.device.database.save(
      DeviceRecord(
        container: old.container, marker: old.marker, path: old.path, stream: old.stream,
        name: "Anna"))
    try ann.put("c", "{}")
    try ann.publish()
    let names = try world.logs(in: ann.folder).map { try $0.decoded().segment.deviceName }
    #expect(names == ["ann", nil, "Anna"])
  }
}

@Suite("A name that is taken") struct TakenNameTests {
  /// A device with one write to publish, and where that belongs.
  private static func scene(_ kind: World.Kind) throws -> (World, Peer, FilePath) {
    let world = try World(kind)
    let ann = try world.peer("ann", in: try world.folder("ann"))
    try ann.put("a", #"{"n":1}"#)
    let batch = try #require(try ann.device.database.nextBatch())
    let digest = SegmentFile.encode(batch.segment).digest
    let name = SegmentName(first: 1, last: 1, digest: digest)
    let path = ann.device.container.directory(of: ann.stream).appending(name.text)
    return (world, ann, path)
  }

  @Test(
    "by garbage sends the segment under another one, and others import it",
    arguments: World.Kind.allCases)
  func garbage(kind: World.Kind) throws {
    let (world, ann, path) = try Self.scene(kind)
    try world.place([1, 2, 3], at: path)
    let report = try ann.publish()
    #expect(report.transactions == 1)
    #expect(report.renamed.count == 1)
    #expect(try world.files.contents(of: path, limit: 10).bytes == [1, 2, 3])
    let bob = try world.peer("bob", in: try world.folder("bob"))
    for file in try world.logs(in: ann.folder) { try world.deliver(file, to: bob.folder) }
    let imported = try bob.importAll()
    #expect(imported.segments == 1)
    #expect(imported.setAside.map(\.reason) == [.damaged])
    #expect(try bob.body("a") == #"{"n":1}"#)
    #expect(try ann.publish().transactions == 0)
  }

  @Test("by garbage, and is free again, leaves the segment where it is, which counts")
  func freeAgain() throws {
    let (world, ann, path) = try Self.scene(.fake)
    try world.place([1, 2, 3], at: path)
    try ann.publish()
    try world.remove(path)
    let segment = try #require(try ann.device.database.archivedSegments(of: ann.stream).first)
    let file = try #require(try ann.device.database.archivedFile(of: segment))
    #expect(ann.device.container.keeps(segment.digest, of: file.range))
    #expect(try ann.importAll().putBack == 0)
  }

  @Test("by garbage is listed on the device itself, too")
  func listed() throws {
    let (world, ann, path) = try Self.scene(.fake)
    try world.place([1, 2, 3], at: path)
    let report = try ann.importAll()
    #expect(report.published == 1)
    #expect(report.setAside.map(\.key.name) == [path.lastComponent?.bytes])
    #expect(report.setAside.map(\.reason) == [.damaged])
    #expect(report.segments == 0)
    #expect(try ann.importAll().setAside.count == 1)
  }

  @Test("by a directory or a link sends it under another one, too", arguments: World.Kind.allCases)
  func notAFile(kind: World.Kind) throws {
    for bad in [BadFile.directory, .danglingLink, .fifo] {
      let (world, ann, path) = try Self.scene(kind)
      let name = try #require(path.lastComponent)
      let file = LogFile(directory: ann.directory, name: name, bytes: [])
      try bad.place(file, in: ann.folder, of: world)
      #expect(try ann.publish().renamed.count == 1)
      #expect(try ann.device.database.unpublishedCount() == 0)
    }
  }
}
