import CanonicalJSON
import DocumentStorage
import Replication
import SegmentFormat
import Syncing
import SystemFiles
import Testing

/// What nobody could tell of a stream that branches is judged when it can be told.
@Suite("What a branch meant") struct BranchJudgementTests {
  /// A device, its clone, and bob, who has seen two transactions of the clone and nothing else.
  private struct Scene {
    let world: World
    let ann: Peer
    let twin: Peer
    let bob: Peer

    /// - parameter body: what the document `a` is before that, everywhere.
    init(startingWith body: String? = nil) throws {
      world = try World()
      ann = try world.peer("ann", in: try world.folder("ann"))
      twin = try BranchTests.clone(of: ann, in: try world.folder("twin"), world: world)
      bob = try world.peer("bob", in: try world.folder("bob"))
      if let body {
        try bob.put("a", body)
        try bob.publish()
        for file in try world.logs(in: bob.folder) {
          for peer in [ann, twin] {
            try world.deliver(file, to: peer.folder)
            try peer.importAll()
          }
        }
      }
      try twin.put(body == nil ? "a" : "t", #"{"from":"the twin"}"#)
      try twin.publish()
      try twin.put("later", "{}")
      try twin.publish()
      for file in try world.logs(in: twin.folder) { try world.deliver(file, to: bob.folder) }
      try bob.importAll()
    }

    func files(of peer: Peer) throws -> [LogFile] {
      try world.logs(in: peer.folder).filter { $0.directory == peer.directory }
    }

    func importable(_ file: LogFile) throws -> ImportableSegment {
      let (segment, digest) = try file.decoded()
      return ImportableSegment(
        segment: segment, digest: digest, bytes: file.bytes, isUnderOwnName: true, file: file.key)
    }
  }

  @Test("is judged again when the branch that came first goes on")
  func firstLineGoesOn() throws {
    let scene = try Scene()
    try scene.bob.delete("a")
    try scene.bob.publish()
    try scene.ann.put("a", #"{"from":"ann"}"#)
    try scene.ann.publish()
    let twins = try scene.files(of: scene.twin)
    let first = try #require(twins.first)
    let last = try #require(twins.last)
    let others = try scene.files(of: scene.ann) + scene.files(of: scene.bob)
    let outcomes = try [[first] + others, others.reversed() + [first]].enumerated().map {
      number, order in
      let reader = try scene.world.peer("r", in: try scene.world.folder(number == 0 ? "r" : "s"))
      for file in order {
        try scene.world.deliver(file, to: reader.folder)
        try reader.importAll()
      }
      // Whether bob's removal meant what ann wrote, nobody can tell: it may hide it.
      #expect(try !reader.dump().contains("notes/a"))
      let before = try reader.device.database.changePosition()
      try scene.world.deliver(last, to: reader.folder)
      try reader.importAll()
      #expect(try Self.told(by: reader, after: before).contains("a"))
      return try reader.dump()
    }
    // It did not, and what ann wrote undoes it.
    #expect(outcomes[0].contains("notes/a"))
    #expect(outcomes[0] == outcomes[1])
  }

  private static func told(by peer: Peer, after position: Int64) throws -> Set<String> {
    guard case .commits(let commits) = try peer.device.database.changes(after: position) else {
      return []
    }
    return Set(commits.flatMap(\.origins).flatMap(\.documents).map { $0.key.id.description })
  }
}
