import DocumentStorage
import SharedFolder
import Synchronization
import Syncing
import SystemFiles
import Testing

/// Each command is a process of its own, which has not seen the files before: names and sizes do
/// not tell it that one has changed.
@Suite("A file of this device's that changed while nobody looked") struct OwnFilesCheckTests {
  private static let hour: Int64 = 3_600_000

  /// That of the folder's file system, in nanoseconds, on which no two changes are at once.
  private final class FolderClock: Sendable {
    private let time: Mutex<Int64>

    init(at milliseconds: Int64) { time = Mutex(milliseconds * 1_000_000) }

    func now() -> Int64 {
      time.withLock {
        $0 += 1000
        return $0
      }
    }

    func advance(milliseconds: Int64) { time.withLock { $0 += milliseconds * 1_000_000 } }
  }

  private let clock: FolderClock
  private let world: World
  private let ann: Peer
  private let files: [LogFile]

  init() throws {
    let clock = FolderClock(at: try World().ambient.now())
    self.clock = clock
    world = try World(fake: InMemoryFileSystem(clock: { clock.now() }))
    ann = try world.peer("ann", in: try world.folder("shared"))
    for number in 0..<3 {
      try ann.put("a\(number)", "{}")
      try ann.publish()
    }
    files = try world.logs(in: ann.folder)
    try lookAfter()
  }

  private func lookAfter() throws {
    world.advance(milliseconds: Self.hour)
    clock.advance(milliseconds: Self.hour)
    _ = try Upkeep(device: ann.device).run()
    _ = try Upkeep(device: ann.device).runIfDue()
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

  @Test("is found when the device looks after its files, and put back by the next import")
  func damaged() throws {
    try damage(files[1])
    #expect(try ann.importAll().putBack == 0)
    #expect(try !isWhole())
    try lookAfter()
    let report = try ann.importAll()
    #expect(report.putBack == 1)
    #expect(report.setAsideText == ["\(files[1].name): damaged"])
    #expect(try isWhole())
    try lookAfter()
    #expect(try ann.importAll().putBack == 0)
  }

  @Test("is put back where it has what belongs into another of the same size")
  func misplaced() throws {
    try #require(files[1].bytes.count == files[2].bytes.count)
    try world.place(files[2].bytes, at: files[1].path(in: ann.folder))
    try lookAfter()
    let report = try ann.importAll()
    #expect(report.putBack == 1)
    #expect(report.setAsideText == ["\(files[1].name): damaged"])
    #expect(try ann.device.missingOwnTransactions().isEmpty)
    #expect(try isWhole())
  }

  @Test("is put back, too, where a diagnosis has found it to have what belongs into another")
  func misplacedInADiagnosis() throws {
    try world.place(files[2].bytes, at: files[1].path(in: ann.folder))
    #expect(try ann.device.missingOwnTransactions() == [2...2])
    #expect(try ann.importAll().putBack == 1)
    #expect(try ann.device.missingOwnTransactions().isEmpty)
  }

  @Test("is not named any more once it is whole again")
  func mended() throws {
    try damage(files[2])
    try lookAfter()
    try world.place(files[2].bytes, at: files[2].path(in: ann.folder))
    try lookAfter()
    #expect(try ann.importAll().setAside.isEmpty)
  }

  @Test("is found by a later look if one before it had no time for it")
  func interrupted() throws {
    try damage(files[1])
    let days = 3 * 24 * Self.hour
    world.advance(milliseconds: days)
    clock.advance(milliseconds: days)
    var upkeep = Upkeep(device: ann.device)
    upkeep.isStopping = { true }
    #expect(try upkeep.run().isStopped)
    #expect(try ann.device.database.lookedAfterAt() == nil)
    try lookAfter()
    #expect(try ann.importAll().putBack == 1)
  }

  @Test("is found though each look has time for one file only")
  func oneEach() throws {
    for file in files {
      try damage(file)
      clock.advance(milliseconds: 1)
    }
    world.advance(milliseconds: Self.hour)
    for _ in files {
      var asked = 0
      var upkeep = Upkeep(device: ann.device)
      upkeep.isStopping = {
        asked += 1
        return asked > 2
      }
      #expect(try upkeep.runIfDue() != nil)
      #expect(try ann.importAll().putBack == 1)
    }
    #expect(try isWhole())
  }

  @Test("is found though others changed at the same time, and each look has time for one file only")
  func allAtOnce() throws {
    for file in files { try damage(file) }
    world.advance(milliseconds: Self.hour)
    var upkeep = Upkeep(device: ann.device)
    upkeep.budget = 0
    let world = world
    upkeep.isStopping = {
      world.advance(milliseconds: 1)
      return false
    }
    #expect(try upkeep.runIfDue() != nil)
    #expect(try ann.importAll().putBack == files.count)
    #expect(try isWhole())
  }

  @Test("is found though the clock was ahead when a look before it had no time for it")
  func aheadAndInterrupted() throws {
    let days = 30 * 24 * Self.hour
    try ann.device.database.noteLookingAfterUnfinished(read: world.ambient.now() + days)
    try damage(files[1])
    try lookAfter()
    #expect(try ann.importAll().putBack == 1)
  }

  @Test("is found though the clock was ahead when it was looked after last")
  func ahead() throws {
    let days = 30 * 24 * Self.hour
    world.advance(milliseconds: days)
    try lookAfter()
    world.advance(milliseconds: -days)
    try damage(files[1])
    try lookAfter()
    #expect(try ann.importAll().putBack == 1)
  }

  @Test("is read while that is not a day ago, and others are not")
  func readings() throws {
    let fake = try #require(world.fake)
    func opened() throws -> Int {
      let before = fake.callCount(.open)
      try lookAfter()
      return fake.callCount(.open) - before
    }
    for _ in 0..<50 { try lookAfter() }
    let idle = try opened()
    try world.place(files[0].bytes, at: files[0].path(in: ann.folder))
    #expect(try opened() > idle)
    for _ in 0..<50 { try lookAfter() }
    #expect(try opened() == idle)
  }
}
