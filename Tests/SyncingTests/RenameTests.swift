import DocumentStorage
import Replication
import SystemFiles
import SystemPackage
import TestSupport
import Testing

@Suite("Renaming a device") struct RenameTests {
  /// Renames as the command does; returns how many transactions then were published.
  @discardableResult
  private static func rename(_ peer: Peer, _ name: String) throws -> Int {
    _ = try peer.device.database.renameDevice(
      to: name, now: peer.device.ambient.time, nonce: peer.device.nonce)
    return try peer.publish().transactions
  }

  private static func name(of peer: Peer, on reader: Peer) throws -> String? {
    try reader.device.database.streamSummaries().first { $0.stream == peer.stream }?.name
  }

  @Test("reaches the others at once, without a document", arguments: World.Kind.allCases)
  func alone(kind: World.Kind) throws {
    let scene = try TwoAuthors(kind)
    try scene.deliver(scene.annFiles)
    try scene.reader.importAll()
    #expect(try Self.rename(scene.ann, "Anna") == 1)
    #expect(try scene.ann.device.database.device()?.name == "Anna")
    try scene.deliver(try scene.world.logs(in: scene.ann.folder))
    let report = try scene.reader.importAll()
    #expect(report.transactions == 1)
    #expect(report.operations == 0)
    #expect(try Self.name(of: scene.ann, on: scene.reader) == "Anna")
    // The stream goes on as ever.
    try scene.ann.put("a4", #"{"n":4}"#)
    try scene.ann.publish()
    try scene.deliver(try scene.world.logs(in: scene.ann.folder))
    #expect(try scene.reader.importAll().setAside.isEmpty)
    #expect(try scene.reader.body("a4") == #"{"n":4}"#)
  }

  @Test("to the same name writes nothing")
  func same() throws {
    let scene = try TwoAuthors()
    #expect(try Self.rename(scene.ann, "ann") == 0)
    #expect(try Self.rename(scene.ann, "Anna") == 1)
    #expect(try Self.rename(scene.ann, "Anna") == 0)
  }

  @Test("to the same name tells the others, if they never heard it")
  func unheard() throws {
    let scene = try TwoAuthors()
    let old = scene.ann.device.record
    // As an older version left it, after a second `init` under another name.
    try scene.ann.device.database.save(
      DeviceRecord(
        container: old.container, marker: old.marker, path: old.path, stream: old.stream,
        name: "Anna"))
    #expect(try Self.rename(scene.ann, "Anna") == 1)
    #expect(try Self.rename(scene.ann, "Anna") == 0)
  }

  @Test("travels with writes that wait, instead of a transaction of its own")
  func withWrites() throws {
    let scene = try TwoAuthors()
    _ = try scene.ann.device.database.writeDocuments(
      now: scene.ann.device.ambient.time, nonce: 1, isPublishedAtOnce: false
    ) { _ = try $0.put(try JSONText.parse("{}"), at: Peer.key("a4")) }
    #expect(try Self.rename(scene.ann, "Anna") == 1)
    let names = try scene.world.logs(in: scene.ann.folder).map {
      try $0.decoded().segment.deviceName
    }
    #expect(names == ["ann", nil, nil, "Anna"])
  }

  @Test("there and back ends with the newest name, in whatever order the files arrive")
  func newest() throws {
    let scene = try TwoAuthors()
    for name in ["b", "c", "ann", "d", "c"] { try Self.rename(scene.ann, name) }
    let files = try scene.world.logs(in: scene.ann.folder)
    #expect(files.count == 8)
    for seed in 1...10 as ClosedRange<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let reader = try scene.world.peer(
        "r\(seed)", in: try scene.world.folder(try #require(FilePath.Component("r\(seed)"))))
      for file in files.shuffled(using: &generator) {
        try scene.world.deliver(file, to: reader.folder)
        try reader.importAll()
      }
      // What came once comes again, under another name.
      try scene.world.deliver(files[3], to: reader.folder, name: "again.log")
      try reader.importAll()
      #expect(try Self.name(of: scene.ann, on: reader) == "c")
    }
  }

  @Test("ends with the newest name also where an older one was skipped, and comes after it")
  func skipped() throws {
    let scene = try TwoAuthors()
    try Self.rename(scene.ann, "b")
    // A file of several transactions can be read behind a hole.
    for id in ["a4", "a5"] { try scene.ann.put(id, "{}", isPublishedAtOnce: false) }
    #expect(try Self.rename(scene.ann, "c") == 2)
    let files = try scene.world.logs(in: scene.ann.folder)
    #expect(files.count == 5)
    try scene.deliver([files[0], files[4]])
    try scene.reader.importAll()
    try scene.reader.skip(scene.ann)
    #expect(try Self.name(of: scene.ann, on: scene.reader) == "c")
    try scene.deliver(files)
    try scene.reader.importAll()
    #expect(try Self.name(of: scene.ann, on: scene.reader) == "c")
  }

  @Test("whose publishing failed is published later, once")
  func crash() throws {
    let scene = try TwoAuthors()
    let fake = try #require(scene.world.fake)
    for call in 1...5 {
      fake.kill(at: call)
      _ = try? Self.rename(scene.ann, "name \(call)")
      #expect(fake.wasKilled)
      fake.reboot()
      try Self.rename(scene.ann, "name \(call)")
      #expect(try scene.ann.device.database.unpublishedCount() == 0)
    }
    try scene.deliver(
      try scene.world.logs(in: scene.ann.folder).filter { !$0.name.string.hasSuffix(".nosync") })
    #expect(try scene.reader.importAll().transactions == 8)
    #expect(try Self.name(of: scene.ann, on: scene.reader) == "name 5")
  }

  @Test("takes over no name that would disturb a terminal")
  func hostileName() throws {
    let scene = try TwoAuthors()
    for name in ["\u{1B}[2J", "", String(repeating: "x", count: 65)] {
      try Self.rename(scene.ann, name)
    }
    try scene.deliver(try scene.world.logs(in: scene.ann.folder))
    #expect(try scene.reader.importAll().setAside.isEmpty)
    #expect(try Self.name(of: scene.ann, on: scene.reader) == "ann")
  }
}
