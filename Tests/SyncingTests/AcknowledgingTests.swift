import DocumentStorage
import Replication
import SegmentFormat
import Syncing
import SystemPackage
import Testing

/// Ann writes, Bob wrote once and only reads since; they share a folder.
@Suite("What a device has, and its user does not write about") struct AcknowledgingTests {
  private let world: World
  private let ann: Peer
  private let bob: Peer
  private static let delay: Int64 = 6 * 3_600_000

  init() throws {
    world = try World()
    let folder = try world.folder("shared")
    ann = try world.peer("ann", in: folder)
    bob = try world.peer("bob", in: folder)
    try bob.put("b", "{}")
    try bob.publish()
    try ann.importAll()
    try ann.put("x", #"{"n":1}"#)
    try ann.publish()
    try bob.importAll()
  }

  private func speaks(_ peer: Peer) throws -> Bool {
    let speaks = try peer.device.database.acknowledge(
      after: Self.delay, now: peer.device.ambient.time, nonce: peer.device.nonce)
    try peer.publish()
    return speaks
  }

  @Test("is said once it has stood unsaid for hours, and not again")
  func once() throws {
    #expect(try !speaks(bob))
    world.advance(milliseconds: Self.delay - 1)
    #expect(try !speaks(bob))
    world.advance(milliseconds: 1)
    #expect(try speaks(bob))
    world.advance(milliseconds: 10 * Self.delay)
    #expect(try !speaks(bob))
    try ann.importAll()
    let claimed = try ann.device.database.frontier().closed
    #expect(claimed.sequence(of: bob.stream) == 2)
  }

  @Test("is never said of what says nothing itself: two idle devices end to speak")
  func rest() throws {
    var spoken = 0
    for _ in 0..<20 {
      for peer in [ann, bob] {
        try peer.importAll()
        if try speaks(peer) { spoken += 1 }
      }
      world.advance(milliseconds: Self.delay)
    }
    #expect(spoken == 1)
  }

  @Test("is said once more by a device that goes on under another stream, as after 'rebuild'")
  func anotherStream() throws {
    #expect(try bob.device.database.beginStream(insteadOf: bob.stream))
    #expect(try !speaks(bob))
    world.advance(milliseconds: Self.delay)
    #expect(try speaks(bob))
    world.advance(milliseconds: 10 * Self.delay)
    #expect(try !speaks(bob))
    try ann.importAll()
    let peers = try ann.device.database.peers(liveSince: 0)
    #expect(peers.filter { $0.stream != bob.stream }.map(\.hasAll) == [true])
  }

  @Test("is said by whatever else is written")
  func written() throws {
    #expect(try !speaks(bob))
    try bob.put("y", "{}")
    world.advance(milliseconds: 2 * Self.delay)
    #expect(try !speaks(bob))
  }

  @Test("is not said by who has never written: nobody waits for that one")
  func reader() throws {
    let cem = try world.peer("cem", in: ann.folder)
    try cem.importAll()
    #expect(try !speaks(cem))
    world.advance(milliseconds: 2 * Self.delay)
    #expect(try !speaks(cem))
  }

  @Test("waits its time by a clock that has been put back")
  func clock() throws {
    world.advance(milliseconds: 1000 * Self.delay)
    #expect(try !speaks(bob))
    world.advance(milliseconds: -1000 * Self.delay)
    #expect(try !speaks(bob))
    world.advance(milliseconds: Self.delay)
    #expect(try speaks(bob))
  }

  @Test("ends to be said also where something was given up, so that fingerprints judge")
  func givenUp() throws {
    try ann.publish(2...3, to: "x")
    let dan = try world.peer("dan", in: try world.folder("away"))
    let (lost, rest) = (2 as UInt64, try world.logs(in: ann.folder))
    for file in rest where try file.decoded().segment.range.first != lost {
      try world.deliver(file, to: dan.folder)
    }
    try dan.importAll()
    let skipping = Skipping(device: dan.device)
    _ = try skipping.skip(try skipping.hole(of: ann.stream.description))
    try dan.put("d", "{}")
    var spoken: [Int] = []
    for _ in 0..<12 {
      world.advance(milliseconds: Self.delay)
      spoken.append(0)
      for peer in [ann, bob, dan] {
        if try speaks(peer) { spoken[spoken.count - 1] += 1 }
        try exchange(with: dan)
        try peer.importAll()
      }
    }
    #expect(spoken.suffix(6).allSatisfy { $0 == 0 }, "\(spoken)")
  }

  /// Each folder gets what the other has.
  private func exchange(with other: Peer) throws {
    for file in try world.logs(in: ann.folder) { try world.deliver(file, to: other.folder) }
    for file in try world.logs(in: other.folder) { try world.deliver(file, to: ann.folder) }
  }
}
