import DocumentStorage
import SegmentFormat
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// What compresses may be another version than when a file was written: the same content comes to
/// other bytes then.
@Suite("An own file that is compressed otherwise than the one kept") struct OtherFormTests {
  let world: World
  let fake: InMemoryFileSystem
  let ann: Peer
  let files: [LogFile]
  /// The second file in another form.
  let other: [UInt8]
  private var path: FilePath { files[1].path(in: ann.folder) }

  private static let body = #"{"text":"\#(String(repeating: "abc ", count: 500))"}"#

  init() throws {
    world = try World()
    fake = try #require(world.fake)
    ann = try world.peer("ann", in: try world.folder("shared"))
    for number in 0..<3 {
      try ann.put("a\(number)", Self.body)
      try ann.publish()
    }
    files = try world.logs(in: ann.folder)
    other = try Self.otherForm(of: files[1].bytes)
  }

  private static func otherForm(of bytes: [UInt8]) throws -> [UInt8] {
    let plain = SegmentFile.encode(try SegmentFile.decode(bytes).segment, compressing: false).bytes
    try #require(plain.count > bytes.count)
    return plain
  }

  /// How many files a look opens that puts nothing back.
  private func opened(_ importer: Importer) throws -> Int {
    let before = fake.callCount(.open)
    #expect(try importer.importAll().putBack == 0)
    return fake.callCount(.open) - before
  }

  @Test("is left alone, and read once, whichever process looks")
  func leftAlone() throws {
    let importer = Importer(device: ann.device)
    _ = try importer.importAll()
    let again = try opened(importer)
    let anew = try opened(Importer(device: ann.device))
    try world.place(other, at: path)
    #expect(try opened(importer) == again + 1)
    #expect(try opened(importer) == again)
    #expect(try opened(Importer(device: ann.device)) == anew)
    let present = try world.logs(in: ann.folder).map(\.bytes)
    #expect(present == [files[0].bytes, other, files[2].bytes])
  }

  @Test("is put back in the form that the folder had")
  func putBack() throws {
    try world.place(other, at: path)
    #expect(try ann.importAll().putBack == 0)
    try world.remove(path)
    #expect(try ann.importAll().putBack == 1)
    #expect(try world.logs(in: ann.folder)[1].bytes == other)
    #expect(try ann.importAll().putBack == 0)
  }

  @Test("is put back where it is cut, and not read again after that")
  func cut() throws {
    try world.place(Array(other.dropLast(5)), at: path)
    #expect(try ann.importAll().putBack == 1)
    #expect(try world.logs(in: ann.folder).map(\.bytes).filter { $0 == files[1].bytes }.count == 1)
    let importer = Importer(device: ann.device)
    // Reads what was put back, under another name.
    _ = try importer.importAll()
    let again = try opened(importer)
    #expect(try opened(importer) == again)
  }

  @Test("comes along as it is where the device moves to a copy of its folder that lacks it")
  func moved() throws {
    let house = try Household()
    let (old, new) = (try house.makeFolder("old"), house.root.appending("new"))
    try house.initialise(old)
    let peer = try house.open()
    try peer.put("a", Self.body)
    try peer.publish()
    try house.copy(old, to: new)
    let file = try #require(try world(house, logsIn: old).first)
    let plain = try Self.otherForm(of: file.bytes)
    for folder in [old, new] { try house.files.remove(file.path(in: folder)) }
    try house.files.publish(plain, at: file.path(in: old), temporaryName: "t")
    #expect(try house.initialise(new).missing.isEmpty)
    #expect(try world(house, logsIn: new).map(\.bytes) == [plain])
  }

  private func world(_ house: Household, logsIn folder: FilePath) throws -> [LogFile] {
    let container = ContainerFolder(root: folder, files: house.files)
    return try container.list().segments.map { file in
      let path = container.logs.appending(file.directory).appending(file.name)
      return LogFile(
        directory: file.directory, name: file.name,
        bytes: try house.files.contents(of: path, limit: 1 << 26).bytes)
    }
  }
}
