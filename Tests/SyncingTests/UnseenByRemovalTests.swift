import DocumentStorage
import Foundation
import GRDB
import Replication
import SegmentFormat
import Syncing
import SystemPackage
import Testing

/// Bob edits a member.
///
/// Ann, who has that by now, writes something else, and then the document: the same member as she
/// had read it before, or another. The reader has all of Ann's, and nothing of Bob's.
private struct LateBranch {
  let world: World
  let ann: Peer
  let bob: Peer
  let reader: Peer

  /// - parameter isOnOldRead: Whether Ann's last write does not know of Bob's.
  init(isOnOldRead: Bool) throws {
    world = try World()
    ann = try world.loner("ann")
    bob = try world.loner("bob")
    reader = try world.loner("reader")
    try ann.put("doc", #"{"keep":true,"n":1}"#)
    try world.send(from: ann, to: bob)
    let token = try ann.token("doc")
    try bob.put("doc", #"{"keep":true,"n":{"deep":1}}"#)
    try world.send(from: bob, to: ann)
    try ann.put("other", "{}")
    try ann.publish()
    if isOnOldRead {
      try ann.put("doc", #"{"keep":true,"n":2}"#, token: token)
    } else {
      try ann.put("doc", #"{"keep":false,"n":{"deep":1}}"#)
    }
    try world.send(from: ann, to: reader)
    #expect(
      try reader.body("doc") == (isOnOldRead ? #"{"keep":true,"n":2}"# : #"{"keep":false,"n":1}"#))
  }

  /// Everybody gets everything, also what is published by that.
  func meet() throws {
    let peers = [ann, bob, reader]
    for _ in 0..<3 {
      for author in peers {
        for other in peers where other.device.record.stream != author.device.record.stream {
          try world.send(from: author, to: other)
        }
      }
    }
  }

  /// Everybody lists what Bob wrote.
  func expectConflict() throws {
    for peer in [ann, bob, reader] {
      #expect(try peer.conflicts(of: "doc").contains { $0.contains("deep") })
    }
  }

  func expectEverywhere(_ body: String?) throws {
    for peer in [ann, bob, reader] { #expect(try peer.body("doc") == body) }
  }
}

@Suite("A removal that waits, and says that it has seen more than it had")
struct UnseenByRemovalTests {
  /// How Ann writes last: `n` as she had read the document before Bob's edit, or `keep` after it.
  private static let onOldRead = #"{"keep":true,"n":2}"#

  @Test("is given up where it would take away what somebody wrote beside it: that is a conflict")
  func unseen() throws {
    let scene = try LateBranch(isOnOldRead: true)
    try scene.reader.put("doc", #"{"keep":true}"#)
    #expect(try scene.reader.body("doc") == #"{"keep":true}"#)
    try scene.meet()
    try scene.expectEverywhere(Self.onOldRead)
    try scene.expectConflict()
  }

  @Test("is told of by the import that gives it up")
  func told() throws {
    let scene = try LateBranch(isOnOldRead: true)
    try scene.reader.put("doc", #"{"keep":true}"#)
    let report = try scene.world.send(from: scene.bob, to: scene.reader)
    #expect(try scene.reader.body("doc") == Self.onOldRead)
    #expect(report.removalsGivenUp > 0)
    #expect(try scene.reader.importAll().removalsGivenUp == 0)
  }

  @Test("is told of by the watch that gives it up, once")
  func watched() throws {
    let scene = try LateBranch(isOnOldRead: true)
    try scene.reader.put("doc", #"{"keep":true}"#)
    try scene.bob.publish()
    try scene.world.carry(from: scene.bob.folder, to: scene.reader.folder)
    var loop = WatchLoop(device: scene.reader.device)
    let told = try (1...2).map { _ in
      try loop.scan(nil).compactMap { event in
        if case .removalsGivenUp(let count) = event { count } else { nil }
      }
    }
    #expect(told.map(\.count) == [1, 0])
    #expect(told.joined().allSatisfy { $0 > 0 })
  }

  @Test("is told of by the watch also where its look then fails")
  func watchedInVain() throws {
    let scene = try LateBranch(isOnOldRead: true)
    try scene.reader.put("doc", #"{"keep":true}"#)
    try scene.bob.publish()
    try scene.world.carry(from: scene.bob.folder, to: scene.reader.folder)
    var loop = WatchLoop(device: scene.reader.device)
    struct Stop: Error {}
    var told = 0
    #expect(throws: Stop.self) {
      _ = try loop.scan(nil) { event in
        switch event {
        case .removalsGivenUp(let count): told += count
        case .imported: throw Stop()
        default: break
        }
      }
    }
    #expect(told > 0)
    // No later look brings it again.
    #expect(try scene.reader.importAll().removalsGivenUp == 0)
  }

  @Test("also where that had come by then, and its author went by what was read before")
  func ownOldRead() throws {
    let scene = try LateBranch(isOnOldRead: true)
    let token = try scene.reader.token("doc")
    try scene.world.send(from: scene.bob, to: scene.reader)
    try scene.reader.put("doc", #"{"keep":true}"#, token: token)
    try scene.meet()
    for peer in [scene.ann, scene.bob, scene.reader] {
      let listed = try peer.conflicts(of: "doc") + [peer.body("doc") ?? ""]
      #expect(listed.contains { $0.contains("deep") })
    }
  }

  @Test("also where its device does not know how much the document has forgotten")
  func unknownCount() throws {
    let scene = try LateBranch(isOnOldRead: true)
    try scene.reader.put("doc", #"{"keep":true}"#)
    let database = scene.reader.device.database
    let kept = try #require(try database.keptDocuments().first { $0.key == Peer.key("doc") })
    var state = kept.state
    state.forgetCount()
    try database.write { db in
      let rows = try Row.fetchAll(db, sql: "SELECT stream, id FROM streams")
      let numbers = Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as Data, $0[1] as Int64) })
      let bytes = try StateCoding.encode(state) { try #require(numbers[Data($0.bytes)]) }
      try db.execute(
        sql: "UPDATE documents SET state = ? WHERE id = 'doc'", arguments: [Data(bytes)])
    }
    let stored = try #require(try database.keptDocuments().first { $0.key == Peer.key("doc") })
    #expect(stored.state.forgotten == nil)
    #expect(stored.state.pending == state.pending)
    try scene.meet()
    try scene.expectEverywhere(Self.onOldRead)
    try scene.expectConflict()
  }

  @Test("and others of the same document are published")
  func others() throws {
    let scene = try LateBranch(isOnOldRead: true)
    try scene.reader.put("doc", "{}")
    try scene.meet()
    try scene.expectEverywhere(#"{"n":2}"#)
  }

  @Test("is given up where the document was deleted, too: an edit beside it undoes a delete")
  func deleted() throws {
    let scene = try LateBranch(isOnOldRead: true)
    try scene.reader.delete("doc")
    #expect(try scene.reader.body("doc") == nil)
    try scene.meet()
    try scene.expectEverywhere(Self.onOldRead)
    try scene.expectConflict()
  }

  @Test("and takes away what led up to what was there")
  func ledUpTo() throws {
    let scene = try LateBranch(isOnOldRead: false)
    try scene.reader.delete("doc")
    try scene.meet()
    try scene.expectEverywhere(nil)
  }
}
