import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// protocol.md 25, 28, 29 and 31.
@Suite("A recovery that is killed, and killed again,") struct RecoveryKillTests {
  private static func rebuild(_ directory: DeviceDirectory, _ folder: FilePath) throws {
    _ = try directory.rebuild(container: folder, fallbackName: "me", process: "1")
  }

  private static func adopt(_ directory: DeviceDirectory, _ folder: FilePath) throws {
    _ = try directory.adopt(Self.request(folder), process: "1")
  }

  private static func request(_ folder: FilePath) -> DeviceDirectory.Request {
    DeviceDirectory.Request(
      folder: folder, identifier: nil, deviceName: nil, fallbackName: "me", joinsOnly: true)
  }

  /// Kills a recovery at its calls in turn, and then lets `init` come to its end, or, after one
  /// more kill, the recovery itself.
  ///
  /// All calls take minutes, so only some are tried: with a step of 1, whenever recoveries change.
  ///
  /// - parameter isMeant: whether `init` can know by now what was meant.
  /// - returns: how many calls there are.
  private static func sweep(
    _ scene: RecoveryScene, step: Int, isMeant: () throws -> Bool,
    _ recover: (DeviceDirectory, FilePath) throws -> Void,
    check: (_ moment: String) throws -> Void
  ) throws -> Int {
    for call in stride(from: 1, through: .max, by: step) {
      try scene.restore()
      let doom = Doom(at: call)
      let outcome = Result { try recover(scene.dying(doom), scene.folder) }
      guard doom.hasCome else {
        try outcome.get()
        try check("not killed")
        return doom.calls
      }
      // Somebody uses the device meanwhile, if there is one.
      if let peer = try? scene.house.open(scene.folder) {
        _ = try? peer.importAll()
        #expect(try peer.body("doc") == nil, "used after call \(call)")
      }
      if try call.isMultiple(of: 2) || !isMeant() {
        _ = Result { try recover(scene.dying(Doom(at: call * 7 % 17 + 1)), scene.folder) }
        try recover(scene.house.directory, scene.folder)
      } else {
        let done = try scene.house.directory.initialise(request(scene.folder))
        if let failure = done.salvageFailure { throw failure }
      }
      try check("killed at call \(call)")
    }
    return 0
  }

  @Test("loses and doubles nothing when it is run again, or init is: rebuild")
  func rebuilding() throws {
    let scene = try RecoveryScene()
    let kills = try Self.sweep(scene, step: 11, isMeant: { true }, Self.rebuild) { moment in
      try Self.checkAll(scene, moment) { $0 }
    }
    #expect(kills > 30)
  }

  @Test("loses and doubles nothing when it is run again, or init is: init --adopt")
  func adopting() throws {
    let scene = try RecoveryScene()
    try scene.replaceContainer()
    let isMeant = { try !scene.house.directory.olderDatabases().isEmpty }
    let kills = try Self.sweep(scene, step: 17, isMeant: isMeant, Self.adopt) { moment in
      try Self.checkAll(scene, moment) { dump in
        dump.replacing("notes/theirs {\"n\":1}\n", with: "")
      }
    }
    #expect(kills > 30)
  }

  @Test("is never taken for a device that has not joined: rebuild says what to go on with")
  func notTakenForNewcomer() throws {
    let scene = try RecoveryScene()
    var refusals: Set<FilePath> = []
    for call in stride(from: 1, through: 60, by: 3) {
      try scene.restore()
      let doom = Doom(at: call)
      _ = Result { try Self.rebuild(scene.dying(doom), scene.folder) }
      try #require(doom.hasCome)
      do {
        _ = try scene.house.open(scene.folder)
      } catch DeviceError.rebuildUnfinished(let older) {
        refusals.insert(older)
        _ = try scene.house.directory.initialise(Self.request(scene.folder))
        _ = try scene.house.open(scene.folder)
      }
    }
    #expect(refusals.count == 1)
  }

  private static func checkAll(
    _ scene: RecoveryScene, _ moment: String, without others: (String) -> String
  ) throws {
    let directory = scene.house.directory
    #expect(try directory.olderDatabases().allSatisfy(\.isSalvaged), "\(moment)")
    let peer = try scene.house.open(scene.folder)
    #expect(try peer.importAll().setAside.isEmpty, "\(moment)")
    // Hidden as before, while the removal waits.
    #expect(try peer.body("doc") == nil, "\(moment)")
    try scene.world.deliver(scene.missing, to: scene.folder)
    if try !peer.importAll().setAside.isEmpty {
      // It is the other container's: what comes late is brought along when that is asked for again.
      try adopt(directory, scene.folder)
    }
    for _ in 1...2 { #expect(try peer.importAll().setAside.isEmpty, "\(moment)") }
    #expect(try others(peer.dump()) == scene.expected, "\(moment)")
    #expect(try peer.device.database.counts().pendingRemovals == 0, "\(moment)")
    let kept = try peer.device.database.keptStreams()
    #expect(scene.streams.allSatisfy(kept.contains), "\(moment)")
    // Refuses unless the folder holds all that the database does.
    _ = try directory.leave(peer.device, .deletingState, process: "1")
  }
}
