import DocumentStorage
import Foundation
import GRDB
import Replication
import Syncing
import SystemPackage
import Testing

/// By what a document counts as forgotten it is judged what may be dropped (protocol.md 21).
@Suite("A document counts as forgotten what the logs have and it keeps no more")
struct ForgottenCountTests {
  private let world: World
  private let ann: Peer
  private let cat: Peer

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    cat = try world.loner("cat")
  }

  /// How many operations a device's logs have of the document.
  private func logged(by peer: Peer) throws -> Int {
    let recorded = try peer.device.database.readSnapshot { try $0.events(of: Peer.key("x")) }
    #expect(recorded.missing.isEmpty)
    return (recorded.events[Peer.key("x")] ?? []).reduce(0) { $0 + $1.steps.count }
  }

  @Test("also where all that an import brings was written over before it came")
  func comesLate() throws {
    try ann.publish(1...2, to: "x")
    let bob = try world.loner("bob")
    try world.mirror(ann, to: bob)
    try bob.importAll()
    try bob.put("x", #"{"n":3}"#)
    try bob.publish()
    let files = try world.logs(in: ann.folder)
    try world.deliver(files[0], to: cat.folder)
    try world.give(bob, to: cat)
    try cat.importAll()
    try world.deliver(files[1], to: cat.folder)
    #expect(try cat.importAll().operations == 1)
    let kept = try cat.device.database.keptDocuments().first { $0.key == Peer.key("x") }
    let state = try #require(kept).state
    #expect(try cat.body("x") == #"{"n":3}"#)
    #expect(try state.forgotten == logged(by: cat) - state.entries.count)
    #expect(state.forgotten == 2)
  }

  @Test("and does not know it where an older program counted, which did not do so rightly")
  func olderProgram() throws {
    try ann.put("x", #"{"n":1}"#)
    try ann.put("x", #"{"n":2}"#)
    func forgotten() throws -> Int? {
      try #require(try ann.device.database.keptDocuments().first).state.forgotten
    }
    #expect(try forgotten() == 1)
    try ann.device.database.write { db in
      let state = try #require(try Data.fetchOne(db, sql: "SELECT state FROM documents"))
      try db.execute(sql: "UPDATE documents SET state = ?", arguments: [state.dropLast()])
    }
    #expect(try forgotten() == nil)
    #expect(try ann.body("x") == #"{"n":2}"#)
  }
}
