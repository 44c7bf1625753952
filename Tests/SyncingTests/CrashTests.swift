import DocumentStorage
import Replication
import Syncing
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// What a device does between two crashes.
private enum Flow: String, CaseIterable, Sendable {
  case put
  case load
  case importing

  /// Does it, as a command would; a publish that fails is tried again by a later command.
  func run(_ peer: Peer) throws {
    switch self {
    case .put:
      try peer.put("a", #"{"n":1}"#)
      _ = try? peer.publish()
    case .load:
      for number in 1...2 {
        try peer.write { writer in
          for index in 1...3 {
            _ = try writer.put(
              .object(["n": .integer(Int64(index))]), at: Peer.key("\(number)-\(index)"))
          }
        }
        _ = try? peer.publish()
      }
    case .importing:
      try peer.put("mine", #"{"n":1}"#)
      _ = try? peer.importAll()
    }
  }
}

@Suite("A crash while publishing") struct CrashTests {
  static let features: [InMemoryFileSystem.Features] = [
    InMemoryFileSystem.Features(), .renameOnly,
  ]

  /// A world with a device and another's file, the same each time.
  private static func scene(
    _ features: InMemoryFileSystem.Features
  ) throws -> (InMemoryFileSystem, World, Peer) {
    let files = InMemoryFileSystem(features: features)
    let world = try World(.fake, fake: files)
    let bob = try world.peer("bob", in: try world.folder("bob"))
    try bob.put("b", #"{"from":"bob"}"#)
    try bob.publish()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    for file in try world.logs(in: bob.folder) { try world.deliver(file, to: ann.folder) }
    // Folder and marker were on the disk long before.
    try files.synchronizeDirectory(world.root)
    try files.synchronizeDirectory(ann.folder)
    return (files, world, ann)
  }

  private static func contents(_ world: World, _ peer: Peer) throws -> [LogFile] {
    try world.logs(in: peer.folder).filter { !$0.name.string.hasSuffix(".nosync") }
  }

  // Lesson 3.
  @Test("at any call leaves a folder that a later publish completes", arguments: Flow.allCases)
  private func killed(flow: Flow) throws {
    for features in Self.features {
      let (_, cleanWorld, clean) = try Self.scene(features)
      try flow.run(clean)
      let expected = try Self.contents(cleanWorld, clean)
      var kills = 0
      for call in 1... {
        let (files, world, peer) = try Self.scene(features)
        files.kill(at: call)
        try flow.run(peer)
        guard files.wasKilled else { break }
        kills += 1
        files.reboot()
        try peer.importAll()
        try clean.importAll()
        #expect(try Self.contents(world, peer) == expected, "\(flow) killed at call \(call)")
        #expect(try peer.device.database.unpublishedCount() == 0)
        #expect(try peer.dump() == clean.dump())
      }
      #expect(kills >= 6)
    }
  }

  // Lesson 3.
  @Test("with a loss of power loses nothing that was noted as published", arguments: Flow.allCases)
  private func powerLoss(flow: Flow) throws {
    var generator = SeededGenerator(seed: 5)
    for features in Self.features {
      let (_, cleanWorld, clean) = try Self.scene(features)
      try flow.run(clean)
      let expected = try Self.contents(cleanWorld, clean)
      var kills = 0
      for call in 1...40 {
        let (files, world, peer) = try Self.scene(features)
        files.kill(at: call)
        try flow.run(peer)
        guard files.wasKilled else { break }
        kills += 1
        files.powerLoss(using: &generator)
        try peer.importAll()
        #expect(try Self.contents(world, peer) == expected, "\(flow) killed at call \(call)")
        // What is noted as published now must survive the next loss as well.
        files.powerLoss(using: &generator)
        #expect(try Self.contents(world, peer) == expected, "\(flow) killed at call \(call)")
      }
      #expect(kills >= 6)
    }
  }

  @Test(
    "and then a loss of power, with a publish between, loses nothing either",
    arguments: Flow.allCases)
  private func killedThenPowerLoss(flow: Flow) throws {
    var generator = SeededGenerator(seed: 6)
    for features in Self.features {
      let (_, cleanWorld, clean) = try Self.scene(features)
      try flow.run(clean)
      let expected = try Self.contents(cleanWorld, clean)
      var kills = 0
      for call in 1...12 {
        for _ in 0..<2 {
          let (files, world, peer) = try Self.scene(features)
          files.kill(at: call)
          try flow.run(peer)
          guard files.wasKilled else { break }
          kills += 1
          files.reboot()
          try peer.importAll()
          files.powerLoss(using: &generator)
          let found = try Self.contents(world, peer)
          #expect(found == expected, "\(flow) killed at call \(call)")
        }
      }
      #expect(kills >= 12)
    }
  }

  // In a folder that somebody emptied, the directories are made anew with any file.
  @Test("in an emptied folder, and then a loss of power with a publish between, loses nothing")
  func emptiedThenPowerLoss() throws {
    var kills = 0
    for call in 1...12 {
      for seed in 1...4 {
        let files = InMemoryFileSystem()
        let (world, ann) = try Self.emptied(files)
        files.kill(at: call)
        _ = try? ann.publish()
        guard files.wasKilled else { break }
        kills += 1
        files.reboot()
        try ann.publish()
        var generator = SeededGenerator(seed: UInt64(seed))
        files.powerLoss(using: &generator)
        let names = try Self.contents(world, ann).map(\.name.string)
        #expect(names.count == 1, "killed at call \(call), seed \(seed): \(names)")
      }
    }
    #expect(kills >= 24)
  }

  @Test("and a loss of power, where a syncer had made the directories, loses nothing published")
  func directoryOfASyncerThenPowerLoss() throws {
    for seed in 1...8 {
      let files = InMemoryFileSystem()
      let (world, ann) = try Self.emptied(files)
      let logs = ann.folder.appending("logs")
      try files.makeDirectory(logs, mode: 0o777)
      try files.makeDirectory(logs.appending(ann.device.record.stream.description), mode: 0o777)
      try ann.publish()
      var generator = SeededGenerator(seed: UInt64(seed))
      files.powerLoss(using: &generator)
      #expect(try Self.contents(world, ann).count == 1, "seed \(seed)")
    }
  }

  /// A device whose folder was emptied after its first publish, with a write that waits.
  private static func emptied(_ files: InMemoryFileSystem) throws -> (World, Peer) {
    let world = try World(.fake, fake: files)
    let ann = try world.peer("ann", in: try world.folder("ann"))
    try files.synchronizeDirectory(world.root)
    try files.synchronizeDirectory(ann.folder)
    try ann.put("x", #"{"n":1}"#)
    try ann.publish()
    files.removeTree(ann.folder.appending("logs"))
    try ann.put("x", #"{"n":2}"#)
    return (world, ann)
  }

  @Test("and then a loss of power, once a backup of the database has read it, loses nothing")
  func restoredThenPowerLoss() throws {
    var kills = 0
    for call in 1...12 {
      for seed in 1...4 {
        let files = InMemoryFileSystem()
        let world = try World(.fake, fake: files)
        let ann = try world.peer("ann", in: try world.folder("ann"))
        // Folder and marker were on the disk long before.
        try files.synchronizeDirectory(world.root)
        try files.synchronizeDirectory(ann.folder)
        try ann.put("x", #"{"n":1}"#)
        try ann.publish()
        let backup = try StoreDatabase.inMemory(copying: ann.device.database)
        try ann.put("x", #"{"n":2}"#)
        files.kill(at: call)
        _ = try? ann.publish()
        guard files.wasKilled else { break }
        kills += 1
        files.reboot()
        let restored = try world.peer("ann", in: ann.folder, database: backup)
        try restored.importAll()
        var generator = SeededGenerator(seed: UInt64(seed))
        files.powerLoss(using: &generator)
        let bob = try world.peer("bob", in: ann.folder)
        try bob.importAll()
        #expect(try bob.dump() == restored.dump(), "killed at call \(call), seed \(seed)")
      }
    }
    #expect(kills >= 20)
  }

  @Test("is mended by the import that reads its file, or by none: it fails where it cannot")
  func nameThatCannotBeKept() throws {
    let files = InMemoryFileSystem()
    let world = try World(.fake, fake: files)
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let backup = try StoreDatabase.inMemory(copying: ann.device.database)
    try ann.put("x", #"{"n":1}"#)
    try ann.publish()
    let restored = try world.peer("ann", in: ann.folder, database: backup)
    let before = try restored.dump()
    files.fail(.synchronizeDirectory, with: .ioError)
    let error = #expect(throws: FileError.self) { try restored.importAll() }
    #expect(error?.operation == .synchronizeDirectory)
    #expect(try restored.dump() == before)
    try restored.importAll()
    #expect(try restored.dump() == ann.dump())
  }
}
