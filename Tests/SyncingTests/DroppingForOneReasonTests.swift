import DocumentStorage
import Replication
import SegmentFormat
import Syncing
import SystemPackage
import Testing

/// Ann wrote a document, and Bob deleted it; Dan edited it beside that.
///
/// Ann and Bob share a folder, which Dan's files reach late.
@Suite("What was found dead under a delete stays") struct DroppingForOneReasonTests {
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
    try ann.put("old", #"{"n":1,"text":"one"}"#)
    try ann.publish()
    try ann.publish(1...3, to: "new")
    try world.carry(from: folder, to: dan.folder)
    try dan.importAll()
    // Joined, and then for long enough that it is looked at.
    try compact()
    world.advance(milliseconds: CompactionLimits.week)
    try bob.importAll()
    try bob.delete("old")
    try bob.publish()
    try ann.importAll()
    try compact()
    let segment = try #require(try ann.device.database.archivedSegments(of: ann.stream).first)
    let found = try #require(try ann.device.database.deadOperations(of: segment))
    #expect(found.count == 5)
  }

  @discardableResult
  private func compact() throws -> Int {
    try Compactor(device: ann.device, limits: .small()).run().dropped
  }

  /// Dan's edit brings the document back.
  private func edit() throws {
    try dan.put("old", #"{"n":2,"text":"one"}"#)
    try dan.publish()
    try meet()
    #expect(try ann.body("old") == #"{"n":2,"text":"one"}"#)
  }

  /// Everybody hears of everything, and says so.
  private func meet() throws {
    for _ in 0..<2 {
      try world.carry(from: dan.folder, to: folder)
      for peer in [ann, bob] { try peer.importAll() }
      try world.carry(from: folder, to: dan.folder)
      try dan.importAll()
      for peer in [ann, bob, dan] {
        for _ in 0..<2 {
          _ = try peer.device.database.acknowledge(
            after: 0, now: peer.device.ambient.time, nonce: peer.device.nonce)
        }
        try peer.publish()
      }
    }
  }

  private func operations() throws -> Int {
    try world.logs(in: folder).filter { $0.directory == ann.directory }
      .flatMap { try $0.decoded().segment.transactions }
      .flatMap(\.operations).count { $0.document == Peer.key("old") }
  }

  @Test("where an edit undid that and it was written over since: for as long as anything")
  func writtenOver() throws {
    try edit()
    world.advance(milliseconds: CompactionLimits.week - 1)
    let late = try bob.write { writer in
      _ = try writer.put(try JSONText.parse(#"{"n":3,"text":"three"}"#), at: Peer.key("old"))
    }
    try bob.publish()
    try meet()
    let before = ann.device.ambient.time
    world.advance(milliseconds: 1)
    // What was found dead for another reason may go.
    try compact()
    #expect(try operations() == 3)
    for peer in [ann, bob, dan] {
      try meet()
      #expect(
        try peer.device.database.readSnapshot { try $0.body(of: Peer.key("old"), at: before) }
          .map { String(decoding: $0, as: UTF8.self) } == #"{"n":3,"text":"three"}"#)
    }
    _ = try bob.device.database.undo(
      "\(bob.stream):\(try #require(late.sequence))", now: bob.device.ambient.time,
      nonce: bob.device.nonce)
    #expect(try bob.body("old") == #"{"n":2,"text":"one"}"#)
  }

  @Test("and goes once that has been found, too, and the grace is over again")
  func writtenOverLongAgo() throws {
    try edit()
    try bob.put("old", #"{"n":3,"text":"three"}"#)
    try bob.publish()
    try meet()
    for _ in 0..<5 {
      world.advance(milliseconds: CompactionLimits.week)
      try meet()
      try compact()
    }
    #expect(try operations() == 0)
    try meet()
    for peer in [ann, bob, dan] { #expect(try peer.body("old") == #"{"n":3,"text":"three"}"#) }
    #expect(try world.newcomersDump(of: folder) == ann.dump())
  }

  @Test("where an edit undid that and it was deleted again: for as long as that delete is new")
  func deletedAgain() throws {
    try edit()
    world.advance(milliseconds: CompactionLimits.week)
    let late = try bob.delete("old")
    #expect(late == .changed)
    try bob.publish()
    try meet()
    try compact()
    #expect(try operations() == 3)
  }

  @Test("unless the edit was not heard of; then nobody takes the document away for not knowing it")
  func editNotHeardOf() throws {
    world.advance(milliseconds: CompactionLimits.week)
    for _ in 0..<2 {
      for peer in [ann, bob] {
        try peer.importAll()
        _ = try peer.device.database.acknowledge(
          after: 0, now: peer.device.ambient.time, nonce: peer.device.nonce)
        try peer.publish()
      }
    }
    try ann.importAll()
    // Bob hears of it, and writes over it; Ann does not look before she drops.
    try dan.put("old", #"{"n":2,"text":"one"}"#)
    try dan.publish()
    try world.carry(from: dan.folder, to: folder)
    try bob.importAll()
    #expect(try bob.body("old") == #"{"n":2,"text":"one"}"#)
    let between = bob.device.ambient.time
    world.advance(milliseconds: 5)
    let late = try bob.put("old", #"{"n":3,"text":"three"}"#)
    #expect(late == .changed)
    try bob.publish()
    try compact()
    #expect(try operations() == 0)
    try bob.importAll()
    let tip = try #require(try bob.device.database.ownTip())
    let undoing = #expect(throws: HistoryError.self) {
      _ = try bob.device.database.undo(
        "\(bob.stream):\(tip.sequence)", now: bob.device.ambient.time, nonce: bob.device.nonce)
    }
    let looking = #expect(throws: HistoryError.self) {
      try bob.device.database.readSnapshot { try $0.body(of: Peer.key("old"), at: between) }
    }
    for error in [undoing, looking] {
      guard case .forgotten = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    #expect(try bob.body("old") == #"{"n":3,"text":"three"}"#)
  }

  @Test("and nothing keeps it where nothing came between")
  func unchanged() throws {
    #expect(try operations() > 0)
    world.advance(milliseconds: CompactionLimits.week)
    try meet()
    try compact()
    #expect(try operations() == 0)
  }
}
