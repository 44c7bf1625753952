import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemPackage
import Testing

/// Ann and Bob share a folder; Ann's machine is lost, and Bob says so (protocol.md 28).
@Suite("The files of a device that was given up") struct AdoptingTests {
  private let world: World
  private let folder: FilePath
  private let ann: Peer
  private let bob: Peer

  init() throws {
    world = try World()
    folder = try world.folder("shared")
    ann = try world.peer("ann", in: folder)
    bob = try world.peer("bob", in: folder)
    for number in 1...8 {
      try ann.put("a", #"{"n":\#(number)}"#)
      try ann.put("b\(number)", "{}")
      try ann.publish()
    }
    try bob.importAll()
    try bob.put("b", "{}")
    try bob.publish()
  }

  private func retire() throws {
    try bob.device.database.retire(ann.stream, now: bob.device.ambient.now())
  }

  /// Weeks go by in which Bob compacts.
  private func compact() throws -> Int {
    var dropped = 0
    for _ in 0..<5 {
      world.advance(milliseconds: CompactionLimits.week)
      try bob.importAll()
      dropped += try Compactor(device: bob.device, limits: .small()).run().dropped
    }
    return dropped
  }

  private func annsFiles() throws -> [LogFile] {
    try world.logs(in: folder).filter { $0.directory == ann.directory }
  }

  // Lesson 17.
  @Test("stay as they are before that")
  func untouched() throws {
    let before = try annsFiles()
    #expect(before.count >= 8)
    _ = try compact()
    #expect(try annsFiles() == before)
  }

  @Test("are joined, less what is dead, by who gave it up; nobody misses anything")
  func adopted() throws {
    try retire()
    #expect(try compact() > 0)
    #expect(try annsFiles().count == 1)
    let newcomer = try world.peer("new", in: folder)
    #expect(try newcomer.importAll().gaps == [])
    #expect(try newcomer.dump() == bob.dump())
  }

  @Test("are taken for its own when it comes back, with what nobody had")
  func back() throws {
    try ann.put("unseen", "{}")
    try retire()
    _ = try compact()
    try ann.importAll()
    try bob.importAll()
    #expect(try bob.body("unseen") == "{}")
    #expect(try ann.dump() == bob.dump())
    let files = try world.logs(in: folder)
    for peer in [ann, bob, ann, bob] {
      let report = try peer.importAll()
      #expect(report.putBack == 0 && report.published == 0 && !report.hasNewStream)
    }
    #expect(try world.logs(in: folder) == files)
  }
}
