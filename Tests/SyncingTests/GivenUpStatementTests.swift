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
    for number in 1...4 { try write(number, into: number...number) }
    #expect(try compact() == 0)
    try give(1...4)
    try bob.importAll()
    world.advance(milliseconds: CompactionLimits.week)
    try write(5, into: 1...4)
    // Alone in its file, it could not be read without what comes before it.
    try ann.put("d6", "{}", isPublishedAtOnce: false)
    try ann.put("d7", "{}")
    try ann.publish()
    #expect(try compact() == 0)
    try give(6...7)
    try bob.importAll()
    try bob.skip(ann)
    try bob.put("b", "{}")
    try world.send(from: bob, to: ann)
    world.advance(milliseconds: CompactionLimits.week)
    #expect(try compact() == 4)
    try give(1...4)
    try bob.importAll()
  }

  private func write(_ number: Int, into documents: ClosedRange<Int>) throws {
    try ann.write { writer in
      for document in documents {
        let body = try JSONText.parse(#"{"n":\#(number)}"#)
        _ = try writer.put(body, at: Peer.key("d\(document)"))
      }
    }
    try ann.publish()
  }

  /// - returns: how many operations were dropped.
  private func compact() throws -> Int {
    try Compactor(device: ann.device, limits: .small(fanOut: 4)).run().dropped
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
