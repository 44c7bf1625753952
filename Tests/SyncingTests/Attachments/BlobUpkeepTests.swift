import BlobStorage
import CanonicalJSON
import DocumentStorage
import Replication
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// Ann and Bob share a folder (protocol.md 30).
@Suite("A device's own copies of blobs") struct BlobUpkeepTests {
  private let world: World
  private let files: InMemoryFileSystem
  private let ann: Peer
  private let bob: Peer

  init() throws {
    world = try World()
    files = try #require(world.fake)
    let folder = try world.folder("shared")
    ann = try world.peer("ann", in: folder)
    bob = try world.peer("bob", in: folder)
  }

  private func week() { world.advance(milliseconds: CompactionLimits.week) }

  /// Everybody hears of everything, says so, and has heard that.
  private func meet() throws {
    for _ in 0..<2 {
      for peer in [ann, bob] { try peer.hearAndSay() }
    }
    try ann.importAll()
  }

  @Test("go a week after nothing refers to them any more, and not before")
  func grace() throws {
    let hash = try ann.attach("text", to: "n")
    week()
    #expect(try ann.look() == BlobReport())
    try ann.detach(from: "n")
    #expect(try ann.look().waiting == 1)
    world.advance(milliseconds: CompactionLimits.week - 1)
    #expect(try ann.look().waiting == 1)
    #expect(try ann.keeps(hash))
    world.advance(milliseconds: 1)
    let report = try ann.look()
    #expect(report.removed == [ann.blobs.file(hash, of: ann.stream)])
    #expect(report.removedBytes == 4 && report.waiting == 0)
    #expect(try !ann.keeps(hash))
    #expect(try ann.look() == BlobReport())
  }

  @Test("begin a new week when something has referred to them meanwhile")
  func again() throws {
    let hash = try ann.attach("text", to: "n")
    try ann.detach(from: "n")
    #expect(try ann.look().waiting == 1)
    week()
    #expect(try ann.attach("text", to: "other") == hash)
    #expect(try ann.look() == BlobReport())
    try ann.detach(from: "other")
    #expect(try ann.look().waiting == 1)
    #expect(try ann.keeps(hash))
  }

  @Test("begin a new week where something has referred to them between two looks, too")
  func between() throws {
    let hash = try ann.attach("text", to: "n")
    try ann.detach(from: "n")
    #expect(try ann.look().waiting == 1)
    week()
    #expect(try ann.attach("text", to: "other") == hash)
    try ann.detach(from: "other")
    #expect(try ann.look().waiting == 1)
    #expect(try ann.keeps(hash))
    world.advance(milliseconds: CompactionLimits.week - 1)
    #expect(try ann.look().waiting == 1)
    world.advance(milliseconds: 1)
    #expect(try ann.look().removed == [ann.blobs.file(hash, of: ann.stream)])
  }

  @Test("begin a new week where something has referred to them since a look that goes on")
  func during() throws {
    // That look finds them unused, for the first time or for long.
    for isNoted in [false, true] {
      for turn in 1... {
        let other = try BlobUpkeepTests()
        let hash = try other.ann.attach("text", to: "n")
        try other.ann.detach(from: "n")
        if isNoted { try other.ann.look() }
        other.week()
        let wasAsked = try other.ann.look(atQuestion: turn) {
          try other.ann.attach("text", to: "other")
        }
        guard wasAsked else { break }
        other.week()
        try other.ann.detach(from: "other")
        #expect(try other.ann.look().waiting == 1, "at question \(turn)")
        #expect(try other.ann.keeps(hash))
      }
    }
  }

  @Test("stay for what has lost a conflict, until that is settled")
  func conflict() throws {
    try ann.put("n", "{}")
    try ann.publish()
    try bob.importAll()
    let first = try ann.attach("one", to: "n")
    let second = try bob.attach("another", to: "n")
    // Who does not know of an edit is not left alone with what the document refers to.
    try meet()
    for _ in 0..<3 {
      week()
      for peer in [ann, bob] { #expect(try peer.look() == BlobReport()) }
    }
    #expect(try ann.keeps(first) && bob.keeps(second))
    try bob.attach("another", to: "n")
    for _ in 0..<2 {
      week()
      for peer in [ann, bob] {
        try peer.importAll()
        try peer.look()
      }
    }
    #expect(try !ann.keeps(first))
    #expect(try bob.keeps(second))
  }

  @Test("stay for what others refer to, wherever they have it from")
  func others() throws {
    let hash = try ann.attach("text", to: "n")
    try bob.importAll()
    let body = try #require(try bob.body("n"))
    try bob.put("copy", body)
    try bob.publish()
    try ann.importAll()
    try ann.detach(from: "n")
    for _ in 0..<3 {
      week()
      try ann.look()
    }
    #expect(try ann.keeps(hash))
  }

  @Test("are made of what the device's operations refer to and others keep")
  func copies() throws {
    let hash = try ann.attach("text", to: "n")
    try bob.importAll()
    try bob.look()
    #expect(try !bob.keeps(hash))
    try bob.put("copy", try #require(try bob.body("n")))
    try bob.publish()
    #expect(try bob.look().copied == 1)
    #expect(try bob.keeps(hash))
    #expect(try bob.look() == BlobReport())
    // Not of what is damaged; that may come whole later.
    let path = ann.blobs.file(hash, of: ann.stream)
    try files.remove(bob.blobs.file(hash, of: bob.stream))
    files.truncate(path, to: 1)
    #expect(try bob.look().copied == 0)
    #expect(try !bob.keeps(hash))
    files.put(path, Array("text".utf8))
    #expect(try bob.look().copied == 1)
  }

  @Test("are made one by one where no look has time for more, and none where it was called off")
  func withoutTime() throws {
    for id in ["n", "m"] { try ann.attach(id, to: id) }
    try bob.importAll()
    for id in ["n", "m"] { try bob.put("copy of \(id)", try #require(try bob.body(id))) }
    try bob.publish()
    var compactor = Compactor(device: bob.device, limits: .small())
    compactor.isStopping = { true }
    compactor.isCancelled = { true }
    #expect(try compactor.run().blobs.copied == 0)
    compactor.isCancelled = { false }
    #expect(try (1...3).map { _ in try compactor.run().blobs.copied } == [1, 1, 0])
  }

  @Test("are made though another device lets nobody look at what it has")
  func refused() throws {
    let cem = try world.peer("cem", in: bob.folder)
    let hash = try ann.attach("text", to: "n")
    try cem.attach("other", to: "m")
    try bob.importAll()
    try bob.put("copy", try #require(try bob.body("n")))
    try bob.publish()
    files.setRefused(true, cem.blobs.directory(of: cem.stream))
    #expect(try bob.look().copied == 1)
    #expect(try bob.keeps(hash))
  }

  @Test("of a deleted document go once everybody who is live knows of the delete")
  func deleted() throws {
    let hash = try ann.attach("text", to: "n")
    try bob.importAll()
    try bob.put("other", "{}")
    try bob.publish()
    try ann.importAll()
    try ann.delete("n")
    try ann.publish()
    for _ in 0..<3 {
      week()
      #expect(try ann.look() == BlobReport())
    }
    try meet()
    #expect(try ann.look().waiting == 1)
    week()
    try ann.look()
    #expect(try !ann.keeps(hash))
  }

  @Test("of a deleted document stay where an edit has undone the delete")
  func undeleted() throws {
    let hash = try ann.attach("text", to: "n")
    try bob.importAll()
    try bob.write { _ = try $0.patch(.object(["x": .integer(1)]), at: Peer.key("n")) }
    try ann.delete("n")
    try ann.publish()
    try bob.publish()
    try meet()
    for _ in 0..<3 {
      week()
      try ann.look()
    }
    #expect(try ann.keeps(hash))
  }

  @Test("stay where what refers to them is not published yet")
  func unpublished() throws {
    let hash = try ann.attach("text", to: "n")
    let body = try #require(try ann.body("n"))
    try ann.detach(from: "n")
    try ann.put("copy", body)
    for _ in 0..<3 {
      week()
      #expect(try ann.look() == BlobReport())
    }
    #expect(try ann.keeps(hash))
  }

  @Test("of a retired device stay where they are, and go much later than one's own")
  func retired() throws {
    let kept = try ann.attach("kept", to: "n")
    let gone = try ann.attach("gone", to: "other")
    try bob.importAll()
    try bob.device.database.retire(ann.stream, now: bob.device.ambient.now())
    try bob.write { _ = try $0.patch(.object(["attachments": .null]), at: Peer.key("other")) }
    try bob.publish()
    for _ in 0..<8 {
      week()
      try bob.look()
    }
    #expect(try bob.keeps(gone, of: ann.stream))
    for _ in 0..<8 {
      week()
      try bob.look()
    }
    #expect(try !bob.keeps(gone, of: ann.stream))
    #expect(try bob.keeps(kept, of: ann.stream))
    // The copy of the retired device counts as this one's.
    #expect(try !bob.keeps(kept))
  }

  @Test("of a retired device stay once it has come back, until it knows what all do")
  func returned() throws {
    let hash = try ann.attach("text", to: "n")
    try bob.importAll()
    try bob.device.database.retire(ann.stream, now: bob.device.ambient.now())
    try bob.write { _ = try $0.patch(.object(["attachments": .null]), at: Peer.key("n")) }
    try bob.publish()
    for _ in 0..<8 {
      week()
      try bob.look()
    }
    // She has not heard of that, and may refer to it again.
    try ann.put("back", "{}")
    try ann.publish()
    try bob.importAll()
    for _ in 0..<12 {
      week()
      try bob.look()
    }
    #expect(try bob.keeps(hash, of: ann.stream))
    try meet()
    for _ in 0..<2 {
      week()
      try bob.look()
    }
    #expect(try !bob.keeps(hash, of: ann.stream))
  }

  @Test("are nobody else's to remove, nor is what has taken their name")
  func nobodyElses() throws {
    let hash = try ann.attach("text", to: "n")
    try bob.importAll()
    try ann.detach(from: "n")
    try bob.importAll()
    for _ in 0..<3 {
      week()
      try bob.look()
    }
    #expect(try ann.keeps(hash))
    let path = ann.blobs.file(hash, of: ann.stream)
    try files.remove(path)
    files.putLink(path, to: "/world/shared/feedsync.container")
    for _ in 0..<3 {
      week()
      #expect(try ann.look().removed == [])
    }
    #expect(try files.status(of: path).kind == .symbolicLink)
  }

  @Test("stay while something of the folder is missing, or set aside")
  func incomplete() throws {
    let hash = try ann.attach("text", to: "n")
    try ann.detach(from: "n")
    try ann.look()
    let stray = ann.device.container.logs.appending("0").appending("x.log")
    files.put(stray, [1, 2, 3])
    try ann.importAll()
    for _ in 0..<3 {
      week()
      #expect(try ann.look().waiting == 1)
    }
    try files.remove(stray)
    try ann.importAll()
    #expect(try ann.look().removed == [ann.blobs.file(hash, of: ann.stream)])
  }

  @Test("stay where a file has come that nobody has read")
  func unread() throws {
    let hash = try ann.attach("text", to: "n")
    try bob.importAll()
    let body = try #require(try bob.body("n"))
    try ann.detach(from: "n")
    try ann.look()
    week()
    try bob.put("copy", body)
    try bob.publish()
    #expect(try ann.look().waiting == 1)
    try ann.importAll()
    #expect(try ann.look() == BlobReport())
    #expect(try ann.keeps(hash))
  }

  @Test("stay where `logs/` is away for a moment: what is there may refer to them")
  func away() throws {
    // Nothing is joined or dropped, which would make it anew.
    let limits = CompactionLimits.small(fanOut: 64, savedShare: 1)
    func look() throws -> BlobReport {
      try Compactor(device: ann.device, limits: limits).run().blobs
    }
    let hash = try ann.attach("text", to: "n")
    try ann.detach(from: "n")
    #expect(try look().waiting == 1)
    week()
    let (logs, aside) = (ann.device.container.logs, ann.folder.appending("aside"))
    try files.rename(logs, to: aside)
    #expect(try look().waiting == 1)
    try files.rename(aside, to: logs)
    #expect(try look().removed == [ann.blobs.file(hash, of: ann.stream)])
  }

  @Test("that a killed process left half written go after a day")
  func leftovers() throws {
    try ann.attach("text", to: "n")
    let leftover = ann.blobs.directory(of: ann.stream).appending(".feedsync-00ff.nosync")
    let now = ann.device.ambient.now() * 1_000_000
    files.put(leftover, [1], modified: now)
    try ann.look()
    #expect(files.bytes(at: leftover) != nil)
    world.advance(milliseconds: 86_400_001)
    try ann.look()
    #expect(files.bytes(at: leftover) == nil)
  }

  @Test("survive a kill at any call of the upkeep, unless nothing refers to them")
  func killed() throws {
    for call in 1...40 {
      let other = try BlobUpkeepTests()
      let kept = try other.ann.attach("kept", to: "n")
      let gone = try other.ann.attach("gone", to: "other")
      try other.ann.detach(from: "other")
      try other.ann.look()
      other.week()
      other.files.kill(at: call)
      _ = try? other.ann.look()
      other.files.reboot()
      #expect(try other.ann.keeps(kept))
      try other.ann.look()
      #expect(try !other.ann.keeps(gone))
    }
  }
}
