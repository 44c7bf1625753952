import Replication
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("The note of how far a load came") struct LoadJournalTests {
  private static let look = LoadJournal.Look(
    device: 1, inode: 2, size: 300, modified: 4, changed: 5)
  private static let entry = LoadJournal.Entry(look: look, line: 6, offset: 70)

  /// A device whose folder's file system is silent, and the directory of its state.
  private static func scene() throws -> (Household, Device, state: FilePath) {
    let house = try Household()
    let folder = try house.makeFolder("folder")
    try house.initialise(folder)
    let silent = DeviceDirectory(
      root: house.directory.root, files: house.files, ambient: house.directory.ambient,
      ask: { _ in .silent(resolved: folder) })
    let device = try silent.open(container: nil)
    return (house, device, silent.directory(of: device.record.container))
  }

  @Test("is read and forgotten while the folder is out of reach")
  func outOfReach() throws {
    let (house, device, state) = try Self.scene()
    let journal = LoadJournal(directory: state, files: house.files)
    #expect(try journal.entry(for: Self.look, device: device) == nil)
    try journal.note(Self.entry, writtenBy: nil)
    #expect(try journal.entry(for: Self.look, device: device) == Self.entry)
    try journal.clear(Self.look)
    #expect(try journal.entry(for: Self.look, device: device) == nil)
    try journal.clear(Self.look)
  }

  @Test("that cannot be read is not taken for none")
  func unreadable() throws {
    let (_, device, state) = try Self.scene()
    let journal = LoadJournal(directory: state, files: UnreachableFileSystem())
    #expect(throws: FileError.self) { try journal.entry(for: Self.look, device: device) }
  }

  @Test("that cannot be written says which file it is")
  func unwritable() throws {
    let (house, _, state) = try Self.scene()
    let gone = state.appending("gone")
    let journal = LoadJournal(directory: gone, files: house.files)
    #expect(
      throws: FileError(.list, gone, .noSuchFileOrDirectory)
    ) {
      try journal.note(Self.entry, writtenBy: nil)
    }
  }

  @Test("is kept for a file while others are loaded, up to some")
  func several() throws {
    let (house, device, state) = try Self.scene()
    let journal = LoadJournal(directory: state, files: house.files)
    let looks = (1...10).map {
      LoadJournal.Look(device: 1, inode: $0, size: 300, modified: 4, changed: 5)
    }
    for look in looks {
      let entry = LoadJournal.Entry(look: look, line: 6, offset: 70)
      try journal.note(entry, writtenBy: nil)
    }
    try journal.clear(looks[9])
    let known = try looks.map { try journal.entry(for: $0, device: device) != nil }
    #expect(known == [false, false, true, true, true, true, true, true, true, false])
  }

  @Test("is one for each file, so that a load leaves another's alone that began at the same time")
  func together() throws {
    let (house, device, state) = try Self.scene()
    let journals = (0..<2).map { _ in LoadJournal(directory: state, files: house.files) }
    let looks = [2, 3].map {
      LoadJournal.Look(device: 1, inode: $0, size: 300, modified: 4, changed: 5)
    }
    for line in 1...3 {
      for (journal, look) in zip(journals, looks) {
        let entry = LoadJournal.Entry(look: look, line: line, offset: Int64(line))
        try journal.note(entry, writtenBy: nil)
      }
    }
    try journals[0].clear(looks[0])
    #expect(try journals[1].entry(for: looks[0], device: device) == nil)
    #expect(try journals[0].entry(for: looks[1], device: device)?.line == 3)
    // The same file, changed since: another look, and nothing is known of it.
    let changed = LoadJournal.Look(device: 1, inode: 3, size: 301, modified: 4, changed: 6)
    #expect(try journals[0].entry(for: changed, device: device) == nil)
  }

  @Test("is good as long as what it tells of is in the database, under whatever stream")
  func otherStream() throws {
    let (house, device, state) = try Self.scene()
    let journal = LoadJournal(directory: state, files: house.files)
    let peer = Peer(device: device)
    try peer.put("a", "{}")
    let tip = try #require(try device.database.ownTip())
    try journal.note(Self.entry, writtenBy: tip)
    try #require(try device.database.beginStream(insteadOf: tip.stream))
    try peer.put("b", "{}")
    #expect(try device.database.ownTip()?.stream != tip.stream)
    #expect(try journal.entry(for: Self.look, device: device) == Self.entry)
  }

  @Test("is none for a database that was put back, however much it has written since")
  func putBack() throws {
    let (house, device, state) = try Self.scene()
    let journal = LoadJournal(directory: state, files: house.files)
    let peer = Peer(device: device)
    try peer.put("a", "{}")
    let tip = try #require(try device.database.ownTip())
    try peer.put("b", "{}")
    try journal.note(Self.entry, writtenBy: tip)
    #expect(try journal.entry(for: Self.look, device: device) == Self.entry)
    let other = Context.Entry(
      stream: tip.stream, sequence: tip.sequence, fingerprint: Fingerprint(rawValue: 1 << 100))
    try journal.note(Self.entry, writtenBy: other)
    #expect(try journal.entry(for: Self.look, device: device) == nil)
  }
}
