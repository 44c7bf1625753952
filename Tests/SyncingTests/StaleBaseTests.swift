import DocumentStorage
import Replication
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// Ann read a document; Bob did something to it since, which has arrived.
private struct Reading {
  let world: World
  let ann: Peer
  let bob: Peer
  let token: VersionToken

  init() throws {
    world = try World()
    ann = try world.peer("ann", in: try world.folder("ann"))
    bob = try world.peer("bob", in: try world.folder("bob"))
    try ann.put("doc", #"{"a":1,"b":1}"#)
    token = try #require(try ann.token("doc"))
    try exchange()
  }

  func exchange() throws {
    for _ in 1...2 {
      for (source, target) in [(ann, bob), (bob, ann)] {
        try source.publish()
        for file in try world.logs(in: source.folder) {
          try world.deliver(file, to: target.folder)
        }
        try target.importAll()
      }
    }
  }
}

@Suite("A write with the version that its writer had read") struct StaleBaseTests {
  @Test("keeps what others have changed since")
  func merges() throws {
    let scene = try Reading()
    try scene.bob.put("doc", #"{"a":1,"b":2}"#)
    try scene.exchange()
    #expect(try scene.ann.put("doc", #"{"a":2,"b":1}"#, token: scene.token) == .changed)
    #expect(try scene.ann.body("doc") == #"{"a":2,"b":2}"#)
    try scene.exchange()
    #expect(try scene.bob.dump() == scene.ann.dump())
  }

  @Test("is refused if the document was deleted and written anew since, and nothing is written")
  func stale() throws {
    let scene = try Reading()
    try scene.bob.delete("doc")
    try scene.bob.put("doc", #"{"other":true}"#)
    try scene.exchange()
    let before = try scene.ann.dump()
    #expect(try scene.ann.put("doc", #"{"a":2,"b":1}"#, token: scene.token) == .stale)
    #expect(try scene.ann.dump() == before)
    #expect(try scene.ann.device.database.unpublishedCount() == 0)
  }

  @Test("is refused beside a delete that had not arrived, though others' contexts told of it")
  func staleByHearsay() throws {
    let scene = try Reading()
    let eve = try scene.world.peer("eve", in: try scene.world.folder("eve"))
    try scene.world.give(scene.ann, to: eve)
    try scene.bob.delete("doc")
    try scene.bob.publish()
    let carl = try scene.world.peer("carl", in: try scene.world.folder("carl"))
    for peer in [scene.ann, scene.bob] { try scene.world.give(peer, to: carl) }
    try carl.put("other", "{}")
    try carl.publish()
    try eve.put("doc", #"{"a":1,"b":5}"#)
    try eve.publish()
    // Carl had seen the delete, which is not here.
    for peer in [carl, eve] { try scene.world.give(peer, to: scene.ann) }
    let token = try #require(try scene.ann.token("doc"))
    try scene.world.give(scene.bob, to: scene.ann)
    #expect(try scene.ann.body("doc") == #"{"a":1,"b":5}"#)
    #expect(try scene.ann.put("doc", #"{"a":2,"b":5}"#, token: token) == .stale)
  }

  @Test("is a new insert if the document is absent now")
  func absent() throws {
    let scene = try Reading()
    try scene.bob.delete("doc")
    try scene.exchange()
    #expect(try scene.ann.body("doc") == nil)
    #expect(try scene.ann.put("doc", #"{"a":2,"b":1}"#, token: scene.token) == .changed)
    #expect(try scene.ann.body("doc") == #"{"a":2,"b":1}"#)
    try scene.exchange()
    #expect(try scene.bob.dump() == scene.ann.dump())
    #expect(try scene.bob.body("doc") == #"{"a":2,"b":1}"#)
  }

  @Test("is refused if the version has seen what has not arrived here")
  func unknownVersion() throws {
    let scene = try Reading()
    try scene.bob.put("doc", #"{"a":1,"b":3}"#)
    let token = try #require(try scene.bob.token("doc"))
    #expect(throws: StorageError.unknownVersion) {
      try scene.ann.put("doc", "{}", token: token)
    }
  }

  @Test("that changes nothing writes nothing")
  func unchanged() throws {
    let scene = try Reading()
    let files = try scene.world.logs(in: scene.ann.folder)
    let result = try scene.ann.write { writer in
      let body = try JSONText.parse(#"{"b":1,"a":1}"#)
      let edit = try writer.put(body, at: Peer.key("doc"))
      #expect(edit == .unchanged)
    }
    #expect(result.changed == 0)
    #expect(result.sequence == nil)
    #expect(try scene.ann.put("doc", #"{"a":1,"b":1}"#, token: scene.token) == .unchanged)
    try scene.ann.publish()
    #expect(try scene.world.logs(in: scene.ann.folder) == files)
  }

  @Test("that brings back an old value against a later one writes it")
  func backToBase() throws {
    let scene = try Reading()
    try scene.bob.put("doc", #"{"a":5,"b":1}"#)
    try scene.exchange()
    // The writer had read a = 1 and leaves it: Bob's change stays.
    #expect(try scene.ann.put("doc", #"{"a":1,"b":1}"#, token: scene.token) == .unchanged)
    #expect(try scene.ann.body("doc") == #"{"a":5,"b":1}"#)
    // Without a base it is compared with the present, and changes it.
    #expect(try scene.ann.put("doc", #"{"a":1,"b":1}"#) == .changed)
    #expect(try scene.ann.body("doc") == #"{"a":1,"b":1}"#)
  }

  /// Carl has what bob wrote, and not what bob had seen of ann, so that he may not claim it.
  @Test("is refused where what its reader saw has not arrived, though he could not claim it")
  func unclaimed() throws {
    let world = try World()
    let peers = try ["ann", "bob", "carl", "dora"].map { name in
      try world.peer(name, in: try world.folder(try #require(FilePath.Component(name))))
    }
    let (ann, bob, carl, dora) = (peers[0], peers[1], peers[2], peers[3])
    try ann.put("x", "{}")
    try ann.publish()
    for peer in [bob, carl, dora] { try world.give(ann, to: peer) }
    try ann.put("y", "{}")
    try ann.publish()
    try world.give(ann, to: bob)
    try bob.put("x", #"{"e":1}"#)
    try bob.publish()
    for file in try world.logs(in: bob.folder) where file.directory == bob.directory {
      try world.deliver(file, to: carl.folder)
    }
    try carl.importAll()
    let token = try #require(try carl.token("x"))
    #expect(throws: StorageError.unknownVersion) { try dora.put("x", "{}", token: token) }
    try world.give(bob, to: dora)
    try dora.put("x", "{}", token: token)
    #expect(try dora.body("x") == "{}")
  }
}
