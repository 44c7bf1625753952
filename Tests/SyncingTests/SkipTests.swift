import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import Syncing
import SystemFiles
import Testing

/// Ann wrote three files of two transactions each, and Bob has them.
private struct Lost {
  let world: World
  let ann: Peer
  let bob: Peer
  let annFiles: [LogFile]

  init() throws {
    world = try World()
    ann = try world.peer("ann", in: try world.folder("ann"))
    bob = try world.peer("bob", in: try world.folder("bob"))
    for number in 1...3 {
      try ann.put("a", #"{"by":"ann","n":\#(number)}"#, isPublishedAtOnce: false)
      try ann.put("a\(number)", #"{"n":\#(number)}"#)
      try ann.publish()
    }
    annFiles = try world.logs(in: ann.folder)
    for file in annFiles { try world.deliver(file, to: bob.folder) }
    try bob.importAll()
  }

  func reader(_ name: String) throws -> Peer {
    try world.peer(name, in: try world.folder(.init(name) ?? "reader"))
  }

  func deliver(_ files: [LogFile], to peer: Peer) throws {
    for file in files { try world.deliver(file, to: peer.folder) }
    try peer.importAll()
  }

  func files(of peer: Peer) throws -> [LogFile] {
    try world.logs(in: peer.folder).filter { $0.directory == peer.directory }
  }

  /// Brings what everybody wrote to everybody.
  func spread(_ peers: [Peer], without lost: Set<LogFile> = []) throws {
    for _ in 1...3 {
      for source in peers {
        for target in peers where target.stream != source.stream {
          for file in try files(of: source) where !lost.contains(file) {
            try world.deliver(file, to: target.folder)
          }
        }
      }
      for peer in peers { try peer.importAll() }
    }
  }
}

extension Peer {
  /// Skips all that is missing of another.
  @discardableResult
  func skip(_ other: Peer) throws -> SkipReport {
    let skipping = Skipping(device: device)
    return try skipping.skip(try skipping.hole(of: other.stream.description))
  }

  fileprivate func entryCount(_ id: String) throws -> Int {
    let kept = try device.database.keptDocuments()
    return try #require(kept.first { $0.key == Self.key(id) }).state.entries.count
  }
}

@Suite("What is missing for good") struct SkipTests {
  @Test("cannot be skipped where nothing is missing, nor of the device itself")
  func refused() throws {
    let scene = try Lost()
    let skipping = Skipping(device: scene.bob.device)
    #expect(throws: DeviceError.nothingMissing("ann")) { try skipping.hole(of: "ann") }
    #expect(throws: DeviceError.ownStream) { try skipping.hole(of: "bob") }
    #expect(throws: DeviceError.unknownDevice("nobody", candidates: 0)) {
      try skipping.hole(of: "nobody")
    }
  }

  @Test("is told with its range and the files behind it, which are imported once it is skipped")
  func fileBehind() throws {
    let scene = try Lost()
    let reader = try scene.reader("reader")
    try scene.deliver([scene.annFiles[0], scene.annFiles[2]], to: reader)
    #expect(try reader.body("a3") == nil)
    let report = try reader.skip(scene.ann)
    #expect(report.hole.transactions == [3...4])
    #expect(report.hole.files.isEmpty)
    #expect(report.hole.readable == 1)
    #expect(report.imported.segments == 1)
    #expect(report.imported.gaps.isEmpty)
    #expect(try reader.body("a3") == #"{"n":3}"#)
    #expect(try reader.body("a") == #"{"by":"ann","n":3}"#)
    #expect(try reader.body("a2") == nil)
    // Nobody takes the hole for a branch, and what shows is claimed by what is written.
    #expect(try reader.device.database.counts().conflicts == 0)
    try reader.put("a", #"{"by":"the reader"}"#)
    #expect(try reader.device.database.streamSummaries().allSatisfy { $0.branches <= 1 })
    #expect(throws: DeviceError.nothingMissing("ann")) {
      try Skipping(device: reader.device).hole(of: "ann")
    }

    try scene.deliver([scene.annFiles[1]], to: reader)
    #expect(try reader.body("a2") == #"{"n":2}"#)
    #expect(try reader.body("a") == #"{"by":"the reader"}"#)
    try scene.spread([scene.ann, scene.bob, reader])
    #expect(try reader.dump().hasSuffix("conflicts: 0"))
    #expect(try scene.bob.dump() == reader.dump())
    #expect(try scene.ann.dump() == reader.dump())
  }

  @Test("keeps the state from being removed where the folder has lost what lies behind it")
  func leaving() throws {
    let scene = try Lost()
    let reader = try scene.reader("reader")
    try scene.deliver([scene.annFiles[0], scene.annFiles[2]], to: reader)
    try reader.skip(scene.ann)
    let completeness = FolderCompleteness(device: reader.device)
    #expect(try completeness.incompleteStreams().isEmpty)
    let last = try #require(
      scene.world.logs(in: reader.folder).filter { $0.directory == scene.ann.directory }
        .max { $0.name.string < $1.name.string })
    try reader.device.container.files.remove(last.path(in: reader.folder))
    #expect(try completeness.incompleteStreams().map(\.stream) == [scene.ann.stream])
  }

  @Test("and comes in one file with what was behind it, is applied")
  func joined() throws {
    let scene = try Lost()
    let reader = try scene.reader("reader")
    try scene.deliver([scene.annFiles[0], scene.annFiles[2]], to: reader)
    try reader.skip(scene.ann)
    let joined = SegmentFile.encode(
      try Segment(
        joining: scene.annFiles.dropFirst().map { try SegmentFile.decode($0.bytes).segment }))
    let name = SegmentName(first: 3, last: 6, digest: joined.digest)
    try scene.world.place(
      joined.bytes,
      at: reader.device.container.directory(of: scene.ann.stream).appending(name.text))
    try reader.importAll()
    #expect(try reader.body("a2") == #"{"n":2}"#)
    #expect(try reader.dump() == scene.bob.dump())
  }

  @Test("from the very start is skipped like any other")
  func fromTheStart() throws {
    let scene = try Lost()
    let reader = try scene.reader("reader")
    try scene.deliver([scene.annFiles[1], scene.annFiles[2]], to: reader)
    #expect(try reader.skip(scene.ann).hole.transactions == [1...2])
    #expect(try reader.body("a3") == #"{"n":3}"#)
    // Edits of a document whose insert is missing are no document.
    try scene.deliver([scene.annFiles[0]], to: reader)
    #expect(try reader.dump() == scene.bob.dump())
  }

  @Test("of several devices that skip at other times ends alike, whatever comes in which order")
  func orders() throws {
    let scene = try Lost()
    let first = try scene.reader("first")
    let second = try scene.reader("second")
    let third = try scene.reader("third")
    try scene.deliver([scene.annFiles[0], scene.annFiles[2]], to: first)
    try first.skip(scene.ann)
    try first.put("a", #"{"by":"first"}"#)
    try first.put("a3", #"{"by":"first"}"#)
    try first.delete("a1")
    try first.publish()
    // The second hears of what is missing through the first alone.
    try scene.deliver([scene.annFiles[0]] + scene.files(of: first), to: second)
    try second.put("mine", #"{"by":"second"}"#)
    try second.delete("a")
    #expect(try second.device.database.counts().pendingRemovals == 1)
    #expect(try second.device.database.missingParts().map(\.stream) == [scene.ann.stream])
    try second.skip(scene.ann)
    #expect(try second.device.database.counts().pendingRemovals == 0)
    // The third has all.
    try scene.deliver(scene.annFiles + scene.files(of: second) + scene.files(of: first), to: third)
    try third.put("a2", #"{"by":"third"}"#)
    try third.publish()
    let all = [first, second, third, scene.bob]
    try scene.spread(all)
    for peer in all { try scene.deliver(scene.annFiles, to: peer) }
    try scene.spread(all)
    let dump = try third.dump()
    #expect(dump.contains(#""by":"second""#))
    #expect(dump.contains(#""by":"third""#))
    #expect(!dump.contains("notes/a1"))
    #expect(!dump.contains("notes/a "))
    for peer in all {
      #expect(try peer.dump() == dump)
      let frontier = try peer.device.database.frontier()
      #expect(frontier.open.isEmpty)
      #expect(frontier.closed == frontier.applied)
    }
  }

  @Test("does not make documents grow with what is written after")
  func growth() throws {
    let scene = try Lost()
    let reader = try scene.reader("reader")
    try scene.deliver([scene.annFiles[0], scene.annFiles[2]], to: reader)
    try reader.skip(scene.ann)
    for number in 1...20 { try reader.put("a", #"{"by":"the reader","n":\#(number)}"#) }
    #expect(try reader.entryCount("a") <= 6)
    try reader.publish()
    let other = try scene.reader("other")
    try scene.deliver([scene.annFiles[0]], to: other)
    for file in try scene.files(of: reader) { try scene.world.deliver(file, to: other.folder) }
    try other.importAll()
    #expect(try other.entryCount("a") <= 6)
    #expect(try other.body("a") == reader.body("a"))
  }

  @Test("does not make documents grow with what its own device goes on to write")
  func growthOfOneThatGoesOn() throws {
    let scene = try Lost()
    let reader = try scene.reader("reader")
    try scene.deliver([scene.annFiles[0], scene.annFiles[2]], to: reader)
    try reader.skip(scene.ann)
    for number in 4...13 {
      try scene.ann.put("a", #"{"by":"ann","n":\#(number)}"#, isPublishedAtOnce: false)
      try scene.ann.put("own", #"{"n":\#(number)}"#)
      try scene.ann.publish()
      try scene.deliver(scene.files(of: scene.ann).filter { $0 != scene.annFiles[1] }, to: reader)
      try reader.put("b", #"{"n":\#(number)}"#)
    }
    #expect(try reader.body("a") == #"{"by":"ann","n":13}"#)
    for id in ["a", "own", "b"] { #expect(try reader.entryCount(id) <= 6) }
    try scene.deliver([scene.annFiles[1]], to: reader)
    for id in ["a", "own", "b"] { #expect(try reader.entryCount(id) <= 4) }
    try scene.spread([scene.bob, scene.ann, reader])
    #expect(try reader.dump() == scene.bob.dump())
  }

  @Test("among files of one transaction is left behind where one of them is written whole")
  func loneFiles() throws {
    let scene = try Lost()
    let author = try scene.reader("author")
    for number in 1...72 {
      try author.put("\(number)", "{}")
      try author.publish()
    }
    let reader = try scene.reader("reader")
    let files = try scene.files(of: author)
    try scene.deliver(Array(files[..<4] + files[5...]), to: reader)
    let report = try reader.skip(author)
    #expect(report.hole.transactions == [5...63])
    #expect(report.hole.files.count == 58)
    #expect(report.hole.documents.contains(Peer.key("6")))
    #expect(report.imported.segments == 9)
    #expect(try reader.body("72") != nil)
    try scene.deliver([files[4]], to: reader)
    #expect(try reader.dump() == author.dump())
    #expect(try reader.importAll().gaps.isEmpty)
  }
}
