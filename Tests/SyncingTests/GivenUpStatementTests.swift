import DocumentStorage
import Syncing
import Testing

/// Ann has dropped what she wrote over, and Bob has given up what she wrote instead.
///
/// He has got what she wrote behind that, so that he counts as having seen it all.
@Suite("What was dropped for something that was given up") struct GivenUpStatementTests {
  private let world: World
  private let ann: Peer
  private let bob: Peer

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    bob = try world.loner("bob")
    for number in 1...6 {
      try ann.put("d\(number == 5 ? 1 : number)", #"{"n":\#(number)}"#)
      try ann.publish()
    }
    for number: UInt64 in [1, 2, 3, 4, 6] { try give(number...number) }
    try bob.importAll()
    try bob.skip(ann)
    try bob.put("b", "{}")
    try bob.publish()
    try world.give(bob, to: ann)
    try ann.importAll()
    var dropped = 0
    for _ in 1...3 {
      dropped += try Compactor(device: ann.device, limits: .small(fanOut: 4)).run().dropped
      world.advance(milliseconds: CompactionLimits.week)
    }
    #expect(dropped == 2)
    try give(1...4)
    try bob.importAll()
  }

  /// The file of ann's that has these transactions.
  private func give(_ range: ClosedRange<UInt64>) throws {
    for file in try world.logs(in: ann.folder) where file.directory == ann.directory {
      let found = try file.decoded().segment.range
      if found.first...found.last == range { try world.deliver(file, to: bob.folder) }
    }
  }

  @Test("goes on showing, and it is told whose statement waits for what")
  func shows() throws {
    #expect(try bob.body("d1") == #"{"n":1}"#)
    #expect(try bob.device.database.statementsGivenUp() == [ann.stream: [ann.stream]])
  }

  @Test("shows no more once that comes all the same")
  func comes() throws {
    try world.give(ann, to: bob)
    try bob.importAll()
    #expect(try bob.body("d1") == #"{"n":5}"#)
    #expect(try bob.device.database.statementsGivenUp().isEmpty)
    #expect(try bob.device.database.streamsWithOpenStatements().isEmpty)
    #expect(try bob.dump() == ann.dump())
  }
}
