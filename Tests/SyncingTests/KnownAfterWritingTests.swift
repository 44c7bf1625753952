import CanonicalJSON
import DocumentStorage
import Replication
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// A device of which two processes have the database open: one writes on with what it knows, the
/// other reads what is stored.
@Suite("What a process knows of its stream after a write") struct KnownAfterWritingTests {
  private let world: World
  private let writer: Peer
  private let reader: Peer

  init() throws {
    world = try World(.real)
    let folder = try world.folder("shared")
    let state = world.root.appending("state")
    try world.files.makeDirectory(state, mode: 0o700)
    writer = try world.peer("dev", in: folder, database: StoreDatabase(directory: state))
    reader = try world.peer("dev", in: folder, database: StoreDatabase(directory: state))
  }

  /// Writes one document again and again.
  private func write(_ count: Int, by peer: Peer) throws -> [Context.Entry] {
    try (1...count).map { number in
      // Not what was written last: that would write nothing.
      let body = try JSON(parsing: Array(#"{"n":\#(number),"of":\#(Int.random(in: 0...99))}"#.utf8))
      let result = try peer.write {
        _ = try $0.delete(Peer.key("x"))
        _ = try $0.put(body, at: Peer.key("x"))
      }
      return try #require(result.tip)
    }
  }

  /// The rows of marks have sixty-four: some are full, and one begins.
  @Test("is each of its transactions, for others and for itself", arguments: [1, 63, 64, 65, 200])
  func marks(count: Int) throws {
    let tips = try write(count, by: writer)
    #expect(tips.map(\.sequence) == Array(1...UInt64(count)))
    for peer in [writer, reader] {
      for tip in tips {
        #expect(try peer.device.database.holds(tip), "\(tip.sequence)")
        let other = Context.Entry(
          stream: tip.stream, sequence: tip.sequence,
          fingerprint: Fingerprint(rawValue: ~tip.fingerprint.rawValue))
        #expect(try !peer.device.database.holds(other), "\(tip.sequence)")
      }
    }
  }

  @Test("is what is stored, whoever writes next")
  func turns() throws {
    var tips = try write(3, by: writer)
    for round in 1...40 {
      tips += try write(round % 5 + 1, by: round.isMultiple(of: 2) ? writer : reader)
      if round.isMultiple(of: 3) { try writer.publish() }
      if round.isMultiple(of: 7) { try reader.publish() }
    }
    #expect(tips.map(\.sequence) == Array(1...UInt64(tips.count)))
    for peer in [writer, reader] {
      #expect(try peer.device.database.ownTip() == tips.last)
      #expect(try tips.allSatisfy { try peer.device.database.holds($0) })
    }
  }

  @Test("does not run behind a clock that is put back, also under another stream")
  func clock() throws {
    _ = try write(1, by: writer)
    let before = try writer.device.database.ownTime()
    world.advance(milliseconds: -1_000_000)
    _ = try write(1, by: reader)
    let after = try reader.device.database.ownTime()
    #expect(after > before)
    #expect(try writer.device.database.beginStream(insteadOf: writer.stream))
    _ = try write(1, by: reader)
    #expect(try reader.device.database.ownTime() > after)
  }
}
