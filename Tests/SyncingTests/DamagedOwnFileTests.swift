import DocumentStorage
import SharedFolder
import Syncing
import SystemFiles
import Testing

/// Under its proper name, of the right size, with other content: names and sizes do not tell.
@Suite("A file of this device's with wrong bytes") struct DamagedOwnFileTests {
  let world: World
  let ann: Peer
  let files: [LogFile]

  init() throws {
    world = try World()
    ann = try world.peer("ann", in: try world.folder("shared"))
    for number in 0..<3 {
      try ann.put("a\(number)", "{}")
      try ann.publish()
    }
    files = try world.logs(in: ann.folder)
  }

  private func damage(_ file: LogFile) throws {
    var bytes = file.bytes
    bytes[bytes.count / 2] ^= 0x40
    try world.place(bytes, at: file.path(in: ann.folder))
  }

  /// Whether a new device gets all of it.
  private func isWhole() throws -> Bool {
    let folder = try world.folder("reader")
    for file in try world.logs(in: ann.folder) { try world.deliver(file, to: folder) }
    let reader = try world.peer("reader", in: folder)
    try reader.importAll()
    world.fake?.removeTree(folder)
    return try reader.dump() == ann.dump()
  }

  @Test("is read where it has changed since the last scan, named, and put back once")
  func changed() throws {
    let importer = Importer(device: ann.device)
    #expect(try importer.importAll().putBack == 0)
    try damage(files[1])
    #expect(try !isWhole())
    let report = try importer.importAll()
    #expect(report.putBack == 1)
    #expect(try isWhole())
    for _ in 1...2 {
      let later = try importer.importAll()
      #expect(later.putBack == 0)
      #expect(later.setAsideText == ["\(files[1].name): damaged"])
    }
    #expect(try world.logs(in: ann.folder).count == 4)
  }

  @Test("is read again where it could not be read when it had changed")
  func unreadable() throws {
    let importer = Importer(device: ann.device)
    #expect(try importer.importAll().putBack == 0)
    try damage(files[1])
    let file = files[1].path(in: ann.folder)
    world.fake?.setRefused(true, file)
    #expect(try importer.importAll().putBack == 0)
    world.fake?.setRefused(false, file)
    #expect(try importer.importAll().putBack == 1)
    #expect(try isWhole())
  }

  @Test("is put back by the next import after somebody has read it")
  func foundByADiagnosis() throws {
    try damage(files[0])
    #expect(try ann.importAll().putBack == 0)
    #expect(try ann.device.missingOwnTransactions() == [1...1])
    #expect(try ann.importAll().putBack == 1)
    #expect(try ann.device.missingOwnTransactions().isEmpty)
    #expect(try isWhole())
    #expect(try ann.importAll().putBack == 0)
  }

  @Test("is not forgotten while its directory cannot be listed")
  func unlistable() throws {
    try damage(files[0])
    #expect(try ann.device.missingOwnTransactions() == [1...1])
    let directory = ann.folder.appending("logs").appending(ann.directory)
    world.fake?.setRefused(true, directory)
    #expect(try ann.importAll().putBack == 0)
    world.fake?.setRefused(false, directory)
    #expect(try ann.importAll().putBack == 1)
  }

  @Test("is not named any more when it is whole again")
  func mended() throws {
    let importer = Importer(device: ann.device)
    _ = try importer.importAll()
    try damage(files[2])
    #expect(try importer.importAll().putBack == 1)
    try world.place(files[2].bytes, at: files[2].path(in: ann.folder))
    #expect(try importer.importAll().setAside.isEmpty)
    #expect(try importer.importAll().putBack == 0)
  }

  @Test("is read once where only its times have changed")
  func touched() throws {
    let importer = Importer(device: ann.device)
    _ = try importer.importAll()
    try world.place(files[0].bytes, at: files[0].path(in: ann.folder))
    let fake = try #require(world.fake)
    var opened: [Int] = []
    for _ in 1...3 {
      let before = fake.callCount(.open)
      #expect(try importer.importAll().putBack == 0)
      opened.append(fake.callCount(.open) - before)
    }
    #expect(opened[0] == opened[1] + 1)
    #expect(opened[1] == opened[2])
  }

  @Test("is not put back out of an archive that has rotted, and the others are")
  func rottenArchive() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    let own = try scene.house.open().directory
    let names = try scene.world.logs(in: scene.folder).map(\.name)
    // Ann never comes back, so that both are put back: the own file that the folder has lost, too.
    for file in try scene.world.logs(in: scene.folder) where file.directory != own {
      try scene.world.remove(file.path(in: scene.folder))
    }
    try scene.damage(
      """
      UPDATE archive SET content = zeroblob(length(content)) WHERE stream =
        (SELECT id FROM streams WHERE own = 1) AND first = 1
      """)
    let peer = try scene.house.open()
    let report = try Importer(device: peer.device).importAll()
    #expect(report.putBack == 1)
    #expect(report.publishingFailure is StorageError)
    #expect(
      try !scene.world.logs(in: scene.folder).contains {
        $0.directory == own && $0.bytes.allSatisfy { $0 == 0 }
      })
    #expect(names.count > 1)
  }
}
