import FeedSync
import SystemFiles
import Testing

@Suite("Whose a file is that refuses this user") struct FileOwnershipTests {
  private static let me: UInt32 = 1000

  private func ownership(mode: UInt32, owner: UInt32, group: UInt32) -> FileOwnership {
    FileOwnership(
      path: "/place",
      status: FileStatus(
        kind: .directory, size: 0, modified: 0, changed: 0, inode: 1, device: 1, mode: mode,
        owner: owner, group: group),
      purpose: .naming,
      accounts: Accounts(user: Self.me, group: Self.me, umask: 0o022) { _ in [] })
  }

  @Test("its group is named as one to share a folder by, unless that is root's")
  func sharing() {
    let shared = ownership(mode: 0o755, owner: 1001, group: 50)
    #expect(shared.hint.hasSuffix("one group, such as 50, and its owner run chmod -R g+rwXs on it"))
    let roots = ownership(mode: 0o755, owner: 0, group: 0)
    #expect(roots.hint.hasSuffix("in one group, and its owner run chmod -R g+rwXs on it"))
    #expect(!shared.hint.contains("state") && !roots.hint.contains("state"))
  }

  @Test("a local state is not to be shared, and is told as that where it may be one")
  func states() {
    let hidden = ownership(mode: 0o700, owner: 1001, group: 50)
    #expect(hidden.hint.contains("local state") && hidden.hint.contains("g+rwXs"))
    #expect(hidden.stateHint.contains("--state DIR") && !hidden.stateHint.contains("g+rwXs"))
    #expect(ownership(mode: 0o755, owner: 0, group: 0).stateHint.contains("chown -R USER"))
  }

  @Test("what is one's own is a matter of its mode")
  func own() {
    let own = ownership(mode: 0o500, owner: Self.me, group: Self.me)
    #expect(own.hint.hasSuffix(": chmod u+rwx /place") && own.stateHint == own.hint)
  }
}
