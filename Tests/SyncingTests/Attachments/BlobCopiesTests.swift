import BlobStorage
import DocumentStorage
import Replication
import Syncing
import SystemFiles
import Testing

/// Ann and Bob share a folder; what Ann keeps may go at any time, as far as Bob knows (protocol.md
/// 30).
@Suite("Blobs that a device refers to") struct BlobCopiesTests {
  private let world: World
  private let ann: Peer
  private let bob: Peer
  private let hash: BlobHash

  init() throws {
    world = try World()
    let folder = try world.folder("shared")
    ann = try world.peer("ann", in: folder)
    bob = try world.peer("bob", in: folder)
    hash = try ann.attach("text", to: "n")
    try bob.importAll()
  }

  /// Edits another member of the document than Ann's.
  private func editAsBob() throws {
    try bob.write { _ = try $0.patch(.object(["a": 1]), at: Peer.key("n")) }
    try bob.publish()
  }

  private func week() { world.advance(milliseconds: CompactionLimits.week) }

  @Test("are copied from a retired device, too, which may come back and remove its own")
  func retired() throws {
    try bob.device.database.retire(ann.stream, now: bob.device.ambient.now())
    // What Ann refers to, she keeps.
    #expect(try bob.look().copied == 0)
    try bob.put("copy", try #require(try bob.body("n")))
    try bob.publish()
    #expect(try bob.look().copied == 1)
    #expect(try bob.keeps(hash))
    #expect(try bob.look() == BlobReport())
  }

  @Test("are copied where others have not heard for half the grace that it edited the document")
  func untold() throws {
    try bob.put("more", "{}")
    try bob.publish()
    try ann.hearAndSay()
    try ann.put("more", #"{"n":1}"#)
    try ann.publish()
    try bob.importAll()
    try editAsBob()
    #expect(try bob.look().copied == 0)
    world.advance(milliseconds: CompactionLimits.week / 2)
    // Ann may have deleted the document before, and have forgotten that.
    #expect(try bob.look().copied == 1)
    #expect(try bob.keeps(hash))
  }

  @Test("are copied at once where others never heard of this device, or are away for long")
  func unwaited() throws {
    try editAsBob()
    #expect(try bob.look().copied == 1)
  }

  @Test("are left to who refers to them once that one says to know of the edit")
  func told() throws {
    try editAsBob()
    try ann.importAll()
    try ann.put("more", "{}")
    try ann.publish()
    try bob.importAll()
    world.advance(milliseconds: CompactionLimits.week / 2)
    #expect(try bob.look().copied == 0)
  }

  @Test("are copied from what a copy of the device goes on to write, too")
  func copied() throws {
    try ann.look()
    let copy = try world.peer(
      "copy", in: ann.folder,
      database: try StoreDatabase.inMemory(copying: ann.device.database))
    world.advance(milliseconds: 1)
    try ann.put("more", "{}")
    try ann.publish()
    #expect(try copy.importAll().hasNewStream)
    let stream = try #require(try copy.device.database.device()?.stream)
    #expect(stream != ann.stream)
    try copy.put("again", try #require(try copy.body("n")))
    #expect(try copy.look().copied == 1)
    #expect(try copy.keeps(hash, of: stream))
    // Ann's is hers to remove: the new one stays.
    #expect(try copy.look() == BlobReport())
  }

  @Test("stay, also once nothing refers to them here, until all who are live have said so")
  func unheard() throws {
    try bob.put("other", "{}")
    try bob.publish()
    try ann.importAll()
    // Bob may have referred to it again, where Ann cannot see it yet.
    try ann.detach(from: "n")
    try ann.publish()
    for _ in 0..<3 {
      week()
      #expect(try ann.look().removed.isEmpty)
    }
    for peer in [bob, ann, bob] { try peer.hearAndSay() }
    try ann.importAll()
    #expect(try ann.look().removed == [ann.blobs.file(hash, of: ann.stream)])
  }

  @Test("go though somebody always writes, once all who are live know what was known then")
  func busy() throws {
    try bob.put("other", "{}")
    try bob.publish()
    try ann.importAll()
    try ann.detach(from: "n")
    try ann.publish()
    var removed = 0
    for number in 1...5 {
      #expect(try removed > 0 || ann.keeps(hash))
      world.advance(milliseconds: CompactionLimits.week / 2)
      removed += try ann.look().removed.count
      try bob.importAll()
      try bob.put("other", #"{"n":\#(number)}"#)
      try bob.publish()
      // What Bob has not heard of yet when Ann looks.
      try ann.put("busy", #"{"n":\#(number)}"#)
      try ann.publish()
      try ann.importAll()
    }
    #expect(removed == 1)
  }

  @Test("come along whole to another folder, also where that has one of the same length")
  func moved() throws {
    let house = try Household()
    let old = try house.makeFolder("old")
    try house.initialise(old)
    let dora = try house.open()
    let source = house.root.appending("f")
    try house.files.publish(Array("whole".utf8), at: source, temporaryName: "t")
    var stored: BlobHash?
    try Attaching(device: dora.device).attach(BlobSource(file: source, in: house.files)) {
      blob, _ in
      stored = blob.hash
    }
    let hash = try #require(stored)
    let new = house.root.appending("new")
    try house.copy(old, to: new)
    let path = new.appending("blobs").appending("\(dora.stream)").appending(hash.fileName)
    try house.files.remove(path)
    try house.files.publish([0, 0, 0, 0, 0], at: path, temporaryName: "t")
    try house.initialise(new)
    #expect(try house.files.contents(of: path, limit: 100).bytes == Array("whole".utf8))
  }
}
