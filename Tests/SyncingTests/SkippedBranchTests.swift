import DocumentStorage
import Replication
import SharedFolder
import Syncing
import Testing

@Suite("What was skipped, of a device that went on from an older state") struct SkippedBranchTests {
  /// Ann and her twin are one device: what ann wrote reached eve alone, who wrote when she had seen
  /// two and four of it, before ann was put back.
  private struct Scene {
    let world: World
    let ann: Peer
    let twin: Peer
    let eve: Peer
    let dan: Peer

    init() throws {
      world = try World()
      ann = try world.peer("ann", in: try world.folder("ann"))
      twin = try BranchTests.clone(of: ann, in: try world.folder("twin"), world: world)
      eve = try world.peer("eve", in: try world.folder("eve"))
      dan = try world.peer("dan", in: try world.folder("dan"))
      for number in 0..<4 {
        try ann.put("g\(number)", "{}")
        try ann.publish()
        guard number % 2 == 1 else { continue }
        try deliver(ann, to: eve)
        try eve.put("t\(number)", "{}")
        try eve.publish()
      }
      try twin.put("a0", #"{"from":"twin"}"#)
      try twin.publish()
      for number in 1..<6 {
        try twin.put("h\(number)", "{}")
        try twin.publish()
      }
      try deliver(eve, to: dan)
    }

    /// Brings another's own files, or the first of them.
    func deliver(_ peer: Peer, to other: Peer, count: Int = .max) throws {
      let files = try world.logs(in: peer.folder).filter { $0.directory == peer.directory }
      for file in files.prefix(count) { try world.deliver(file, to: other.folder) }
      try other.importAll()
    }
  }

  @Test("is not taken for what it wrote then, whatever was written in between")
  func notTakenForTheOther() throws {
    for isInOne in [true, false] {
      let scene = try Scene()
      // What eve had seen of ann never comes, says dan.
      try scene.dan.skip(scene.ann)
      try scene.dan.put("a0", #"{"from":"dan"}"#)
      try scene.dan.publish()
      // All at once, or in two imports.
      let files = try scene.world.logs(in: scene.twin.folder)
      for file in files.prefix(isInOne ? 6 : 3) {
        try scene.world.deliver(file, to: scene.dan.folder)
      }
      try scene.dan.importAll()
      try scene.deliver(scene.twin, to: scene.dan)
      try scene.dan.put("later", "{}")
      try scene.dan.publish()
      try scene.deliver(scene.ann, to: scene.dan)

      let other = try scene.world.peer("other", in: try scene.world.folder("other"))
      for peer in [scene.ann, scene.twin, scene.eve, scene.dan] {
        try scene.deliver(peer, to: other)
      }
      #expect(try other.dump().contains("conflicts: 1"))
      #expect(try scene.dan.dump() == other.dump())
    }
  }

  @Test("is told from it also where all that has come of it is before what was given up")
  func namesAreKept() throws {
    let scene = try Scene()
    try scene.dan.skip(scene.ann)
    try scene.dan.put("a0", #"{"from":"dan"}"#)
    try scene.dan.publish()
    // Three of the twin's contradict the second that eve had seen: so the fourth is another, too.
    try scene.deliver(scene.twin, to: scene.dan, count: 3)
    // What eve saw never comes: nobody can tell whether she had seen what the twin wrote.
    let waiting = try scene.world.peer("waiting", in: try scene.world.folder("waiting"))
    for peer in [scene.eve, scene.dan] { try scene.deliver(peer, to: waiting) }
    try scene.deliver(scene.twin, to: waiting, count: 3)
    #expect(try scene.dan.dump() == waiting.dump())
    // The document as a whole, and its member.
    #expect(try scene.dan.device.database.counts().conflicts == 2)
  }

  @Test("is told from it by what the first file behind the hole says of the one before it")
  func predecessor() throws {
    let scene = try Scene()
    try scene.dan.skip(scene.ann)
    try scene.dan.put("a0", #"{"from":"dan"}"#)
    try scene.dan.publish()
    let waiting = try scene.world.peer("waiting", in: try scene.world.folder("waiting"))
    for peer in [scene.eve, scene.dan, scene.twin] { try scene.deliver(peer, to: waiting) }
    try scene.deliver(scene.twin, to: scene.dan)
    #expect(try scene.dan.dump() == waiting.dump())
  }
}
