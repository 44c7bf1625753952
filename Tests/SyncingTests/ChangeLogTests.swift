import DocumentStorage
import Syncing
import Testing

/// The log of what the last commits changed, as those who follow the store read it.
@Suite struct ChangeLogTests {
  @Test func eachCommitIsARowAndAnImportNamesItsDevices() throws {
    let world = try World()
    let folder = try world.folder("folder")
    let ann = try world.peer("ann", in: folder)
    let ben = try world.peer("ben", in: folder)
    try ann.put("a", #"{"title":"x"}"#)
    try ann.publish()
    try ben.put("b", #"{"title":"y"}"#)
    try ben.importAll()
    guard case .commits(let commits) = try ben.device.database.changes(after: 0) else {
      Issue.record("missed")
      return
    }
    #expect(commits.map(\.position) == [1, 2])
    #expect(commits.map { $0.origins.map(\.stream) } == [[ben.stream], [ann.stream]])
    #expect(commits[0].origins[0].sequence == 1)
    #expect(commits[1].origins[0].sequence == nil)
    #expect(commits[1].origins[0].documents.map(\.key.id) == ["a"])
    #expect(try ben.device.database.changePosition() == 2)
  }

  @Test func whatChangesNothingIsNotLogged() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("folder"))
    try ann.put("a", #"{"title":"x"}"#)
    try ann.put("a", #"{"title":"x"}"#)
    try ann.importAll()
    #expect(try ann.device.database.changePosition() == 1)
  }

  @Test func aTransactionThatFailsIsNotLogged() throws {
    struct Stop: Error {}
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("folder"))
    #expect(throws: Stop.self) {
      try ann.write { writer in
        _ = try writer.put(try JSONText.parse(#"{"title":"x"}"#), at: Peer.key("a"))
        throw Stop()
      }
    }
    #expect(try ann.device.database.changePosition() == 0)
  }

  @Test func onlyTheLastCommitsAreKeptAndWhoMissedMoreIsTold() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("folder"))
    for number in 1...4400 { try ann.put("a", #"{"n":\#(number)}"#) }
    let database = ann.device.database
    #expect(try database.changes(after: 10) == .missed(upTo: 4400))
    guard case .commits(let last) = try database.changes(after: 400, limit: 5000) else {
      Issue.record("4,000 commits are not kept")
      return
    }
    #expect(last.count == 4000)
  }

  @Test func whoKnowsAnotherCommitOfThatNumberHasMissedSomething() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("folder"))
    for number in 1...3 { try ann.put("a", #"{"n":\#(number)}"#) }
    let database = ann.device.database
    let digest = try #require(try database.changeDigest(at: 2))
    #expect(try database.changeDigest(at: 4) == nil)
    guard case .commits(let last) = try database.changes(after: 2, digest: digest) else {
      Issue.record("missed")
      return
    }
    #expect(last.map(\.position) == [3])
    #expect(try last.first?.digest == database.changeDigest(at: 3))
    #expect(try database.changes(after: 2, digest: digest &+ 1) == .missed(upTo: 3))
    #expect(try database.changes(after: 3, digest: digest) == .missed(upTo: 3))
    // Of a row that is not kept nothing but the number can be known.
    #expect(try database.changes(after: 0, digest: digest) == database.changes(after: 0))
  }

  @Test func soTheyAreWhereTheLastOneIsSmall() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("folder"))
    for round in 1...128 {
      try ann.write { writer in
        for number in 0..<(round % 64 == 0 ? 1 : 500) {
          let body = try JSONText.parse(#"{"member-with-a-long-name":\#(round)}"#)
          _ = try writer.put(body, at: Peer.key("document-\(number)"))
        }
      }
    }
    #expect(try ann.device.database.changes(after: 1) == .missed(upTo: 128))
  }

  @Test func largeRowsAreDroppedEarlier() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("folder"))
    for round in 1...128 {
      try ann.write { writer in
        for number in 0..<500 {
          let body = try JSONText.parse(#"{"member-with-a-long-name":\#(round)}"#)
          _ = try writer.put(body, at: Peer.key("document-\(number)"))
        }
      }
    }
    let database = ann.device.database
    #expect(try database.changes(after: 1) == .missed(upTo: 128))
    guard case .commits(let last) = try database.changes(after: 112) else {
      Issue.record("the last commits are not kept")
      return
    }
    #expect(last.allSatisfy { $0.origins[0].isComplete })
  }
}
