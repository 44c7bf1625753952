import DocumentStorage
import Replication
import Syncing
import SystemPackage
import Testing

/// Ann and Bob share a folder; Dan has been away for longer than they wait for anybody, and edited
/// a document that they have deleted and forgotten meanwhile (protocol.md 24).
@Suite("Who comes back with an edit of a document that was forgotten") struct RevivingTests {
  private let world: World
  private let folder: FilePath
  private let ann: Peer
  private let bob: Peer
  private let dan: Peer

  init() throws {
    world = try World()
    folder = try world.folder("shared")
    ann = try world.peer("ann", in: folder)
    bob = try world.peer("bob", in: folder)
    dan = try world.peer("dan", in: world.folder("away"))
    try ann.put("old", #"{"n":1,"tags":{"x":true}}"#)
    try ann.increment("/count", of: "old", by: 3)
    try ann.add("red", to: "/colours", of: "old")
    try ann.put("new", "{}")
    try ann.publish()
    try world.carry(from: folder, to: dan.folder)
    try dan.importAll()
  }

  /// Bob deletes a document, and everybody at home forgets it.
  ///
  /// - parameter rest: How many operations others have of it.
  private func forget(_ id: String = "old", butFor rest: Int = 0) throws {
    try bob.importAll()
    try bob.delete(id)
    try bob.publish()
    try bob.put("other", "{}")
    try bob.publish()
    for _ in 0..<30 {
      world.advance(milliseconds: CompactionLimits.week)
      for peer in [ann, bob] {
        try peer.importAll()
        for _ in 0..<2 {
          _ = try peer.device.database.acknowledge(
            after: 0, now: peer.device.ambient.time, nonce: peer.device.nonce)
        }
        try peer.publish()
        _ = try Compactor(device: peer.device, limits: .small()).run()
      }
    }
    #expect(try operations(on: id) == rest)
  }

  private func operations(on id: String) throws -> Int {
    try world.logs(in: folder).flatMap { try $0.decoded().segment.transactions }
      .flatMap(\.operations).count { $0.document == Peer.key(id) }
  }

  /// No document has room to be written anew.
  private static let pace = HeedingPace(documents: 128, operations: 2_048, revivalBytes: 64)
  private static let limits = ImportPart.Limits(
    operations: ImportPart.operationLimit, bytes: ImportPart.byteLimit,
    foldBytes: ImportPart.foldLimit, heeding: pace)

  /// Everybody gets everything.
  private func meet() throws -> Int {
    try dan.publish()
    try world.carry(from: dan.folder, to: folder)
    for peer in [ann, bob] { try peer.importAll() }
    try world.carry(from: folder, to: dan.folder)
    let revived = try dan.importAll().revived
    try world.carry(from: dan.folder, to: folder)
    for peer in [ann, bob] { try peer.importAll() }
    return revived
  }

  @Test("shows it behind what others have written of it since, whichever comes first")
  func writtenSince() throws {
    try dan.write { _ = try $0.patch(.object(["edited": true]), at: Peer.key("old")) }
    try forget()
    try world.carry(from: folder, to: dan.folder)
    try ann.put("old", #"{"n":7}"#)
    try ann.publish()
    // What Ann has written comes after he has written the document anew.
    #expect(try dan.importAll().revived == 1)
    #expect(try dan.body("old")?.contains(#""n":1"#) == true)
    #expect(try meet() == 0)
    for peer in [ann, bob, dan] {
      let body = try #require(try peer.body("old"))
      #expect(body.contains(#""n":7"#) && body.contains(#""edited":true"#))
    }
  }

  @Test("is told so by the watch of that device, once")
  func watched() throws {
    try dan.put("old", #"{"colours":["red"],"count":3,"edited":true,"n":1,"tags":{"x":true}}"#)
    try forget()
    try dan.publish()
    try world.carry(from: folder, to: dan.folder)
    var loop = WatchLoop(device: dan.device)
    let told = try (1...2).map { _ in
      try loop.scan(nil).compactMap { if case .revived(let count) = $0 { count } else { nil } }
    }
    #expect(told == [[1], []])
  }

  // Lesson 16.
  @Test("has it everywhere, whole, listed as edited beside its deletion")
  func whole() throws {
    try dan.put("old", #"{"colours":["red"],"count":3,"edited":true,"n":1,"tags":{"x":true}}"#)
    let seen = try dan.body("old")
    try forget()
    #expect(try meet() == 1)
    for peer in [ann, bob, dan] {
      #expect(try peer.body("old") == seen)
      let listed = try peer.conflicts(of: "old")
      #expect(listed.count == 1 && listed.allSatisfy { $0.hasPrefix("delete : ") }, "\(listed)")
    }
    #expect(try ann.dump() == dan.dump() && bob.dump() == dan.dump())
    // A counter still counts, and a set takes in.
    try bob.increment("/count", of: "old", by: 2)
    try ann.add("blue", to: "/colours", of: "old")
    for peer in [ann, bob, ann] { try peer.importAll() }
    #expect(try ann.body("old")?.contains(#""colours":["blue","red"],"count":5"#) == true)
  }

  @Test("is followed by what others show of it: a document goes with what it was made of")
  func told() throws {
    let kim = try world.peer("kim", in: world.folder("kim"))
    try bob.importAll()
    try bob.delete("old")
    try bob.publish()
    try world.carry(from: folder, to: kim.folder)
    try kim.importAll()
    try dan.put("old", #"{"colours":["red"],"count":3,"edited":true,"n":1,"tags":{"x":true}}"#)
    try forget()
    try dan.publish()
    try world.carry(from: dan.folder, to: kim.folder)
    try kim.importAll()
    let shown = try kim.body("old")
    #expect(try shown == dan.body("old"))
    let position = try kim.device.database.changePosition()
    try world.carry(from: folder, to: kim.folder)
    try kim.importAll()
    #expect(try kim.body("old") != shown)
    guard case .commits(let commits) = try kim.device.database.changes(after: position) else {
      Issue.record("everything counts as changed")
      return
    }
    let documents = commits.flatMap(\.origins).flatMap(\.documents).map(\.key)
    #expect(documents.contains(Peer.key("old")))
  }

  @Test("counts once what was counted in it, also what others could not forget")
  func countsOnce() throws {
    try dan.increment("/count", of: "old", by: 2)
    try dan.publish()
    try world.carry(from: dan.folder, to: folder)
    try dan.put("old", #"{"colours":["red"],"count":5,"n":2,"tags":{"x":true}}"#)
    let seen = try dan.body("old")
    // His increment, and the delete that it is kept for.
    try forget(butFor: 2)
    #expect(try meet() == 1)
    for peer in [ann, bob, dan] { #expect(try peer.body("old") == seen) }
    try bob.increment("/count", of: "old", by: 4)
    for peer in [ann, bob, ann] { try peer.importAll() }
    #expect(try ann.body("old")?.contains(#""count":9"#) == true)
  }

  @Test("has it once, whatever comes again, and writes nothing more")
  func once() throws {
    try dan.put("old", #"{"n":2}"#)
    try forget()
    #expect(try meet() == 1)
    let files = try world.logs(in: folder).count
    #expect(try meet() == 0)
    #expect(try world.logs(in: folder).count == files)
  }

  @Test("has it once, also where one of its values stood against what the edit said")
  func onceBesideAnotherValue() throws {
    // What Ann writes dies with the document, and would not show beside what Dan writes: so it is
    // not written anew, and not missed either.
    try ann.put("old", #"{"n":7}"#)
    try ann.publish()
    try dan.put("old", #"{"n":9,"tags":{"x":true}}"#)
    try forget()
    #expect(try meet() == 1)
    let files = try world.logs(in: folder).count
    #expect(try meet() == 0)
    #expect(try dan.importAll().revived == 0)
    #expect(try world.logs(in: folder).count == files)
  }

  @Test("has it also where it had made the document, and was given up")
  func ownDocument() throws {
    for number in 1...3 {
      try dan.put("own", #"{"n":\#(number),"tags":{"x":true}}"#)
      try dan.publish()
    }
    try dan.put("kept", "{}")
    try dan.publish()
    try world.carry(from: dan.folder, to: folder)
    for peer in [ann, bob] { try peer.importAll() }
    // While Dan edits it, Bob looks after his files, and may drop what is dead of them.
    try dan.put("own", #"{"edited":true,"n":3,"tags":{"x":true}}"#)
    let seen = try dan.body("own")
    try bob.device.database.retire(dan.stream, now: bob.device.ambient.now())
    try forget("own")
    #expect(try meet() == 1)
    for peer in [ann, bob, dan] {
      #expect(try peer.body("own") == seen)
      let listed = try peer.conflicts(of: "own")
      #expect(listed.count == 1 && listed.allSatisfy { $0.hasPrefix("delete : ") }, "\(listed)")
    }
    #expect(try ann.dump() == dan.dump() && bob.dump() == dan.dump())
  }

  @Test("keeps what the edit said, where it stood beside what was deleted")
  func ownValue() throws {
    // Neither has seen the other's.
    try ann.put("old", #"{"n":7}"#)
    try ann.publish()
    try dan.put("old", #"{"n":9,"tags":{"x":true}}"#)
    try forget()
    #expect(try meet() == 1)
    for peer in [ann, bob, dan] {
      #expect(try peer.body("old")?.contains(#""n":9"#) == true, "\(peer.device.record.name)")
    }
  }

  @Test("keeps it as it is where no transaction holds it, and all else goes on")
  func tooLarge() throws {
    try dan.put("old", #"{"colours":["red"],"count":3,"edited":true,"n":1,"tags":{"x":true}}"#)
    let (seen, stream) = try (dan.body("old"), dan.device.database.device()?.stream)
    try forget()
    try dan.publish()
    try world.carry(from: folder, to: dan.folder)
    for _ in 1...2 {
      #expect(try Importer(device: dan.device, limits: Self.limits).importAll().revived == 0)
      #expect(try dan.body("old") == seen)
      #expect(try dan.device.database.device()?.stream == stream)
      #expect(try dan.device.database.streamsWithOpenStatements().contains(ann.stream))
    }
    #expect(try dan.body("other") == "{}")
    // Later looks find that while others may write, and write nothing themselves.
    let database = dan.device.database
    let changes = try database.changeCount()
    try database.heedStatements(
      unfinished: true, Self.pace, now: dan.device.ambient.time, nonce: dan.device.nonce)
    #expect(try database.changeCount() == changes)
    // As soon as there is room for it, it is written anew.
    _ = try Compactor(device: dan.device, limits: .small()).run()
    #expect(try dan.device.database.device()?.stream != stream)
    _ = try meet()
    for peer in [ann, bob, dan] { #expect(try peer.body("old") == seen) }
  }

  @Test("counts that as done where a look has no time for more")
  func inTime() throws {
    try dan.put("old", #"{"colours":["red"],"count":3,"edited":true,"n":1,"tags":{"x":true}}"#)
    try forget()
    try dan.publish()
    try world.carry(from: folder, to: dan.folder)
    // Nothing is written anew yet.
    _ = try Importer(device: dan.device, limits: Self.limits).importAll()
    var (revived, hasDone) = (0, [] as [Bool])
    try dan.device.database.heedStatements(
      unfinished: true, now: dan.device.ambient.time, nonce: dan.device.nonce,
      ending: {
        if revived > 0 { hasDone.append($0) }
        return false
      }, onRevived: { revived += $0 })
    #expect(revived == 1)
    #expect(hasDone.first == true)
  }

  @Test("settles it for everybody")
  func settled() throws {
    try dan.put("old", #"{"n":2}"#)
    try forget()
    #expect(try meet() == 1)
    #expect(try ann.delete("old") == .changed)
    try ann.publish()
    _ = try meet()
    for peer in [ann, bob, dan] {
      #expect(try peer.body("old") == nil)
      #expect(try peer.conflicts(of: "old") == [])
    }
  }

  @Test("has nothing back, if somebody took the edit away in time")
  func takenAway() throws {
    try dan.put("old", #"{"n":2}"#)
    try dan.publish()
    // Eve gets the edit, and deletes the document with it; that comes last.
    let eve = try world.peer("eve", in: world.folder("eve"))
    try world.carry(from: dan.folder, to: eve.folder)
    try eve.importAll()
    try eve.delete("old")
    try eve.publish()
    try forget()
    _ = try meet()
    #expect(try ann.body("old") != nil)
    try world.carry(from: eve.folder, to: folder)
    _ = try meet()
    for peer in [ann, bob, dan] {
      #expect(try peer.body("old") == nil)
      #expect(try peer.conflicts(of: "old") == [])
    }
  }
}
