import DocumentStorage
import Replication
import SegmentFormat
import Syncing
import SystemPackage
import Testing

/// Bob edits a member.
///
/// Ann, who has that by now, writes the same member as she had read it before,
/// and something else between. The reader has all of Ann's, and nothing of Bob's.
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
    try ann.put("doc", #"{"keep":true,"n":2}"#, token: isOnOldRead ? token : nil)
    try world.send(from: ann, to: reader)
    #expect(try reader.body("doc") == #"{"keep":true,"n":2}"#)
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

  func expectEverywhere(_ body: String?) throws {
    for peer in [ann, bob, reader] { #expect(try peer.body("doc") == body) }
  }
}

@Suite("A removal that waits, and says that it has seen more than it had")
struct UnseenByRemovalTests {
  @Test("takes away what was there, and not what somebody wrote beside it")
  func unseen() throws {
    let scene = try LateBranch(isOnOldRead: true)
    try scene.reader.put("doc", #"{"keep":true}"#)
    #expect(try scene.reader.body("doc") == #"{"keep":true}"#)
    try scene.meet()
    try scene.expectEverywhere(#"{"keep":true,"n":{"deep":1}}"#)
    for peer in [scene.ann, scene.bob, scene.reader] {
      #expect(try peer.device.database.counts().conflicts == 0)
    }
  }

  @Test("takes away also what led up to what was there")
  func ledUpTo() throws {
    let scene = try LateBranch(isOnOldRead: false)
    try scene.reader.put("doc", #"{"keep":true}"#)
    try scene.meet()
    try scene.expectEverywhere(#"{"keep":true}"#)
  }

  @Test("is given up where it is of the whole document: an edit beside it undoes a delete")
  func deleted() throws {
    let scene = try LateBranch(isOnOldRead: true)
    try scene.reader.delete("doc")
    #expect(try scene.reader.body("doc") == nil)
    try scene.meet()
    try scene.expectEverywhere(#"{"keep":true,"n":2}"#)
    for peer in [scene.ann, scene.bob, scene.reader] {
      #expect(try peer.conflicts(of: "doc").contains { $0.contains("deep") })
    }
  }

  @Test("and deletes where all that is there led up to it")
  func deletedAll() throws {
    let scene = try LateBranch(isOnOldRead: false)
    try scene.reader.delete("doc")
    try scene.meet()
    try scene.expectEverywhere(nil)
  }
}
