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

  @Test("is not settled in the middle of the transaction that first tells of the branch")
  func manyOperations() throws {
    let scene = try Scene(startingWith: #"{"from":"nobody"}"#)
    for id in ["a", "b"] {
      try scene.ann.put(id, #"{"from":"ann"}"#)
      try scene.ann.publish()
    }
    try scene.bob.write { writer in
      for id in ["a", "c", "d", "later"] {
        let body = try JSONText.parse(#"{"from":"bob"}"#)
        _ = try writer.put(body, at: Peer.key(id))
      }
    }
    try scene.bob.publish()
    let anns = try scene.files(of: scene.ann).map(scene.importable)
    let bobs = try scene.files(of: scene.bob).map(scene.importable)
    let twins = try scene.files(of: scene.twin).map(scene.importable)
    let dumps = try [Int.max, 0, 300].map { foldBytes in
      let reader = try scene.world.peer("reader", in: scene.ann.folder)
      for part in [[bobs[0]] + anns, [bobs[1]], twins] {
        _ = try reader.device.database.apply(
          part, now: scene.world.ambient.time, nonce: 1, foldBytes: foldBytes)
      }
      return try reader.dump()
    }
    #expect(dumps[0].contains("conflicts: 1"))
    #expect(Set(dumps).count == 1)
  }

  @Test("is not claimed by a write on a version that was read of another branch")
  func versionOfAnotherBranch() throws {
    let scene = try Scene()
    for id in ["a", "b", "c"] {
      try scene.ann.put(id, #"{"from":"ann"}"#)
      try scene.ann.publish()
    }
    let reader = try scene.world.peer("reader", in: try scene.world.folder("reader"))
    for file in try scene.files(of: scene.ann) { try scene.world.deliver(file, to: reader.folder) }
    try reader.importAll()
    let token = try #require(try scene.bob.token("a"))
    #expect(throws: StorageError.unknownVersion) {
      try reader.put("a", #"{"from":"the reader"}"#, token: token)
    }
    try reader.put("a", #"{"from":"the reader"}"#, token: try reader.token("a"))
    try reader.publish()
    #expect(try reader.device.database.unpublishedCount() == 0)
  }

  @Test("can be told of a branch that leaves a stream behind thousands of lone segments")
  func longStream() throws {
    let world = try World()
    let reader = try world.peer("reader", in: try world.folder("reader"))
    var author = LoneSegments(world)
    let count = 8000
    let middle = count - 2
    var segments: [ImportableSegment] = []
    var left = author
    for number in 1...count {
      segments.append(try author.next(id: "x\(number % 3)"))
      if number == middle { left = author }
    }
    let branch = try left.next(id: "branch")
    let database = reader.device.database
    _ = try database.apply(segments, now: world.ambient.time, nonce: 1)
    let part = try database.apply([branch], now: world.ambient.time, nonce: 1)
    #expect(part.segments == 1)
    #expect(try reader.body("branch") != nil)
  }
}

/// A stream each of whose segments has one transaction that leans on the one before it.
private struct LoneSegments {
  private let stream = StreamID(rawValue: 0x10E)
  private let container: ContainerID
  private var position = StreamPosition.start

  init(_ world: World) { container = world.marker.container }

  mutating func next(id: String) throws -> ImportableSegment {
    let (sequence, before) = (position.sequence + 1, position)
    let time = HybridTime(milliseconds: 1_700_000_000_000 + Int64(sequence))
    var context = Context()
    if sequence > 1 {
      context.advance(
        Context.Entry(
          stream: stream, sequence: before.sequence, fingerprint: before.fingerprint))
    }
    let operation = Operation(
      document: Peer.key(id), insert: Dot(stream: stream, sequence: sequence, index: 0),
      path: .root, kind: .clear)
    let form = CanonicalTransaction.bytes(
      sequence: sequence, time: time, context: context, operations: [operation])
    let header = Transaction.Header(
      stream: stream, sequence: sequence, time: time, context: context, nonce: 5,
      fingerprint: Fingerprint(after: before.fingerprint, nonce: 5, canonicalForm: form))
    let transaction = Transaction(header: header, operations: [operation])
    let segment = Segment(
      range: Segment.Range(
        container: container, stream: stream, first: sequence, last: sequence,
        fingerprintBefore: before.fingerprint),
      attributes: [],
      transactions: [EncodedTransaction(transaction, after: sequence > 1 ? before : nil)])
    position = StreamPosition(after: header)
    let (bytes, digest) = SegmentFile.encode(segment)
    return ImportableSegment(
      segment: segment, digest: digest, bytes: bytes, isUnderOwnName: true,
      file: FileKey(directory: [], name: Array(sequence.description.utf8)))
  }
}
