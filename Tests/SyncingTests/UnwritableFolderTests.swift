import Glibc
import Syncing
import SystemFiles
import SystemPackage
import TestSupport
import Testing

@Suite("A folder that cannot be written") struct UnwritableFolderTests {
  @Test("that is full keeps nothing half, imports go on, and room brings the rest")
  func full() throws {
    let scene = try TwoAuthors()
    try scene.deliver(scene.annFiles)
    try scene.reader.put("mine", #"{"text":"some text that takes room"}"#)
    scene.world.fake?.setRoom(10)
    let before = try scene.world.logs(in: scene.reader.folder)
    let report = try scene.reader.importAll()
    #expect((report.publishingFailure as? FileError)?.errno == .noSpace)
    #expect(report.segments == 3)
    #expect(report.published == 0)
    #expect(try scene.world.logs(in: scene.reader.folder) == before)
    #expect(try scene.reader.device.database.unpublishedCount() == 1)
    scene.world.fake?.setCapacity(nil)
    let later = try scene.reader.importAll()
    #expect(later.published == 1)
    #expect(later.publishingFailure == nil)
    #expect(try scene.world.logs(in: scene.reader.folder).count == before.count + 1)
  }

  @Test(
    "on a real disk that is full does the same",
    .enabled(if: MountTrial.succeeds, "no tmpfs can be mounted here"))
  func reallyFull() throws {
    let scene = try TwoAuthors(.real)
    let folder = scene.world.root.appending("small")
    try scene.world.files.makeDirectory(folder, mode: 0o755)
    try #require(mount("feedsync-test", folder.string, "tmpfs", 0, "size=1m") == 0)
    defer { umount2(folder.string, Int32(MNT_DETACH)) }
    try scene.world.place(
      scene.world.marker.bytes, at: folder.appending("feedsync.container"))
    let peer = try scene.world.peer("small", in: folder)
    for file in scene.annFiles { try scene.world.deliver(file, to: folder) }
    let filler = folder.appending("filler")
    try scene.world.place([UInt8](repeating: 1, count: 1000 << 10), at: filler)
    var generator = SeededGenerator(seed: 1)
    let noise = (0..<20_000).map { _ in String(generator.next(), radix: 36) }.joined()
    try peer.put("mine", #"{"text":"\#(noise)"}"#)
    let report = try peer.importAll()
    #expect((report.publishingFailure as? FileError)?.errno == .noSpace)
    #expect(report.segments == 3)
    #expect(try scene.world.logs(in: folder).count == 3)
    try scene.world.remove(filler)
    #expect(try peer.importAll().published == 1)
    #expect(try scene.world.logs(in: folder).count == 4)
  }

  @Test("is imported from all the same")
  func readOnly() throws {
    let scene = try TwoAuthors()
    try scene.deliver(scene.annFiles + [scene.bobFile])
    try scene.reader.put("mine", #"{"n":1}"#)
    scene.world.fake?.setReadOnly(true)
    let report = try scene.reader.importAll()
    #expect((report.publishingFailure as? FileError)?.errno == .readOnlyFileSystem)
    #expect(report.segments == 4)
    #expect(report.setAside.isEmpty)
    scene.world.fake?.setReadOnly(false)
    #expect(try scene.reader.importAll().published == 1)
  }

  @Test("publishes what it can before the first failure, and the rest later")
  func partly() throws {
    let world = try World()
    let peer = try world.peer("ann", in: try world.folder("ann"))
    for number in 1...4 { try peer.put("\(number)", "{}") }
    let expected = try #require(world.fake)
    expected.fail(.link, at: 3, with: .ioError)
    let failure = try peer.importAll().publishingFailure
    let published = try world.logs(in: peer.folder).count
    #expect((failure == nil) == (published == 4))
    try peer.importAll()
    #expect(try world.logs(in: peer.folder).count == 4)
    #expect(try peer.device.database.unpublishedCount() == 0)
  }
}
