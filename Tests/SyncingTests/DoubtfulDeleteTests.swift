import DocumentStorage
import Replication
import Syncing
import Testing

/// Bob deleted what ann wrote when he had seen more of her than there is: she was put back to an
/// older state, and went on from there.
@Suite("A delete whose author had seen what was lost") struct DoubtfulDeleteTests {
  private let world: World
  private let lost: [LogFile]
  private let reader: Peer

  init() throws {
    world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let bob = try world.peer("bob", in: try world.folder("bob"))
    reader = try world.peer("reader", in: try world.folder("reader"))
    try ann.put("x", #"{"a":1,"b":1}"#)
    try ann.increment("/n", of: "x", by: 3)
    try ann.publish()
    let first = try world.logs(in: ann.folder)
    let folder = try world.folder("restored")
    let backup = try StoreDatabase.inMemory(copying: ann.device.database)
    try backup.rejoin(at: folder)
    let restored = try world.peer("ann", in: folder, database: backup)
    for id in ["y", "z"] {
      try ann.put(id, "{}")
      try ann.publish()
    }
    let all = try world.logs(in: ann.folder)
    lost = Array(all.dropFirst(first.count))
    for file in all { try world.deliver(file, to: bob.folder) }
    try bob.importAll()
    try bob.delete("x")
    try bob.publish()
    try restored.put("x", #"{"a":2,"b":1,"n":3}"#)
    try restored.publish()
    for id in ["v", "w"] {
      try restored.put(id, "{}")
      try restored.publish()
    }
    let written =
      try first + world.logs(in: restored.folder)
      + world.logs(in: bob.folder).filter { $0.directory == bob.directory }
    for file in written { try world.deliver(file, to: reader.folder) }
    try reader.importAll()
  }

  private func resolve(by number: Int) throws {
    try reader.write { writer in
      try writer.resolve(Peer.key("x"), at: nil, by: .listed(number))
    }
  }

  @Test("lists what it hides, an edit that it may not have seen among it")
  func listed() throws {
    #expect(try reader.body("x") == nil)
    #expect(try reader.conflicts(of: "x") == [#"doubtful : absent, {"a":2,"b":1,"n":3}"#])
    #expect(try reader.device.database.counts().conflicts == 1)
  }

  @Test("is settled against what it hides for good")
  func settledAgainst() throws {
    try resolve(by: 1)
    #expect(try reader.body("x") == nil)
    #expect(try reader.conflicts(of: "x") == [])
    try deliverWhatWasLost()
    #expect(try reader.body("x") == nil)
    #expect(try reader.conflicts(of: "x") == [])
  }

  @Test("is undone by what it hides where that is chosen, and settled once it may be claimed")
  func settledFor() throws {
    try resolve(by: 2)
    #expect(try reader.body("x") == #"{"a":2,"b":1,"n":3}"#)
    // Whoever chose it may not claim the delete yet, since its context has not arrived.
    #expect(try reader.conflicts(of: "x") == [#"delete : {"a":2,"b":1,"n":3}, absent"#])
    try deliverWhatWasLost()
    #expect(try reader.body("x") == #"{"a":2,"b":1,"n":3}"#)
    try resolve(by: 1)
    #expect(try reader.body("x") == #"{"a":2,"b":1,"n":3}"#)
    #expect(try reader.conflicts(of: "x") == [])
  }

  @Test("leaves a counter one that goes on counting where what it hides is chosen")
  func counters() throws {
    try resolve(by: 2)
    try deliverWhatWasLost()
    try reader.publish()
    let other = try world.peer("other", in: try world.folder("other"))
    for file in try world.logs(in: reader.folder) { try world.deliver(file, to: other.folder) }
    try other.importAll()
    for peer in [reader, other] {
      try peer.increment("/n", of: "x", by: 1)
      try peer.publish()
    }
    for file in try world.logs(in: other.folder) { try world.deliver(file, to: reader.folder) }
    try reader.importAll()
    #expect(try reader.body("x") == #"{"a":2,"b":1,"n":5}"#)
  }

  private func deliverWhatWasLost() throws {
    for file in lost { try world.deliver(file, to: reader.folder) }
    try reader.importAll()
  }

  @Test("is judged when that comes after all: it had seen the document, and not the edit")
  func judged() throws {
    try deliverWhatWasLost()
    // The edit undoes the delete (protocol.md 13).
    #expect(try reader.body("x") == #"{"a":2,"b":1,"n":3}"#)
    #expect(try reader.device.database.counts().conflicts == 1)
    #expect(try reader.conflicts(of: "x").first?.hasPrefix("delete : ") == true)
  }
}
