import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// What keeps users of one folder apart; `check-users` does it with real ones.
@Suite("Another user of the folder") struct FolderProblemTests {
  private static let me: UInt32 = 1
  private static let syncer: UInt32 = 3
  private static let family: UInt32 = 10

  private let world: World
  private let peer: Peer
  private let fake: InMemoryFileSystem

  init() throws {
    world = try World()
    peer = try world.peer("ann", in: try world.folder("shared"))
    fake = try #require(world.fake)
    fake.setOwner(Self.syncer, group: Self.family, mode: 0o2775, peer.folder)
    fake.setOwner(Self.syncer, group: Self.family, mode: 0o644, peer.folder.appending(Marker.name))
  }

  private func accounts(umask: UInt32, familyHasSyncer: Bool = true) -> Accounts {
    Accounts(user: Self.me, group: Self.me, umask: umask) { user in
      user == Self.syncer && familyHasSyncer ? [Self.syncer, Self.family] : [user]
    }
  }

  @Test("is foretold not to read what the umask will hide")
  func umask() {
    let expected = FolderProblem.willHide(peer.folder, umask: 0o077, from: Self.syncer)
    #expect(peer.device.folderProblems(accounts(umask: 0o077)) == [expected])
    #expect(peer.device.folderProblems(accounts(umask: 0o027)) == [])
    #expect(peer.device.folderProblems(accounts(umask: 0o022)) == [])
    // Without the common group, its permission is of no use.
    let outside = accounts(umask: 0o027, familyHasSyncer: false)
    #expect(
      peer.device.folderProblems(outside)
        == [.willHide(peer.folder, umask: 0o027, from: Self.syncer)])
  }

  @Test("is found not to read what was written, whatever the umask is now")
  func hidden() throws {
    try peer.put("x", "{}")
    try peer.publish()
    let stream = peer.device.container.directory(of: peer.stream)
    fake.setOwner(Self.me, group: Self.family, mode: 0o2755, peer.device.container.logs)
    fake.setOwner(Self.me, group: Self.family, mode: 0o2700, stream)
    #expect(
      peer.device.folderProblems(accounts(umask: 0o022))
        == [.hidden(stream, mode: 0o2700, from: Self.syncer)])
    fake.setOwner(Self.me, group: Self.family, mode: 0o2755, stream)
    let file = stream.appending(try #require(try fake.list(stream).first).name)
    fake.setOwner(Self.me, group: Self.family, mode: 0o600, file)
    #expect(
      peer.device.folderProblems(accounts(umask: 0o022))
        == [.hidden(file, mode: 0o600, from: Self.syncer)])
    fake.setOwner(Self.me, group: Self.family, mode: 0o640, file)
    #expect(peer.device.folderProblems(accounts(umask: 0o077)) == [])
  }

  @Test("is not looked for on a network file system, where owners mean nothing")
  func network() {
    fake.setKind(.remote(name: "nfs4"), peer.folder)
    #expect(peer.device.folderProblems(accounts(umask: 0o077)) == [])
  }

  @Test("may own the folder alone, so that this device reads along")
  func unwritable() {
    fake.setReadOnly(true)
    #expect(
      peer.device.folderProblems(accounts(umask: 0o022))
        == [.unwritable(FileError(.access, peer.folder, .readOnlyFileSystem))])
  }

  @Test("counts as a member of every group if the groups are not known")
  func rule() {
    let status = FileStatus(
      kind: .regular, size: 0, modified: 0, changed: 0, inode: 1, device: 1, mode: 0o640,
      owner: Self.me, group: Self.family)
    #expect(ReadingRule(user: Self.syncer, groups: nil).allows(status))
    #expect(!ReadingRule(user: Self.syncer, groups: []).allows(status))
    var folder = status
    folder.kind = .directory
    #expect(!ReadingRule(user: Self.syncer, groups: nil).allows(folder))
    // The owner's bits alone count for the owner.
    folder.mode = 0o077
    #expect(!ReadingRule(user: Self.me, groups: nil).allows(folder))
  }
}
