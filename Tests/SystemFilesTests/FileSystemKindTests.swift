import SystemFiles
import SystemPackage
import TestSupport
import Testing

@Suite("The kind of a file system") struct FileSystemKindTests {
  private let table = MountTable(
    Array(
      """
      22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
      30 22 0:40 / /mnt/my\\040share rw shared:7 master:1 - fuse.sshfs me@host:/ rw
      31 22 0:41 / /mnt rw - nfs4 host:/export rw
      32 22 0:42 / /mnt rw - tmpfs x rw
      broken line
      33 22 0:43 / /mnt/disk rw - fuseblk /dev/sdb1 rw
      """.utf8))

  @Test("is named by the longest mount point, and by the last of equals")
  func longestPrefix() {
    #expect(table.name(for: Array("/mnt/my share/a".utf8)) == "fuse.sshfs")
    #expect(table.name(for: Array("/mnt/my share".utf8)) == "fuse.sshfs")
    #expect(table.name(for: Array("/mnt/my shares".utf8)) == "tmpfs")
    #expect(table.name(for: Array("/mnts".utf8)) == "ext4")
    #expect(table.name(for: Array("/".utf8)) == "ext4")
  }

  @Test("of a server is known from the mount table alone, also behind a link")
  func remotePlace() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    let table = MountTable(
      Array(
        """
        1 0 8:1 / / rw - ext4 /dev/sda1 rw
        2 1 0:1 / \(path)/share rw - nfs4 server:/ rw
        3 1 0:2 / \(path)/disk rw - fuseblk /dev/sdb1 rw
        """.utf8))
    let files = LinuxFileSystem()
    try files.makeSymbolicLink(path.appending("link"), to: "share/notes")
    for way in ["share/notes/logs", "link/logs", "disk/../link/logs"] {
      let place = table.remotePlace(of: path.appending(way))
      #expect(place?.path == path.appending("share/notes/logs"), "\(way)")
      #expect(place?.name == "nfs4", "\(way)")
    }
    for way in ["shares", "disk/notes", "link/../.."] {
      #expect(table.remotePlace(of: path.appending(way)) == nil, "\(way)")
    }
  }

  @Test("is remote for network file systems and FUSE, and local for the rest")
  func magicNumbers() {
    #expect(FileSystemKind(magic: 0x6969, mountName: "nfs4") == .remote(name: "nfs4"))
    #expect(FileSystemKind(magic: 0xFF53_4D42, mountName: nil) == .remote(name: "cifs"))
    let sshfs = FileSystemKind(magic: 0x6573_5546, mountName: "fuse.sshfs")
    #expect(sshfs == .remote(name: "fuse.sshfs"))
    #expect(FileSystemKind(magic: 0x6573_5546, mountName: "fuseblk") == .local)
    #expect(FileSystemKind(magic: 0xEF53, mountName: "ext4") == .local)
    #expect(FileSystemKind(magic: 0x1234_5678, mountName: "new") == .local)
  }

  @Test("is local for a directory in /tmp")
  func real() throws {
    let directory = try TemporaryDirectory()
    #expect(try LinuxFileSystem().kind(of: directory.path) == .local)
    #expect(try RawLinux.magic(of: "/proc") == 0x9FA0)
  }

  @Test("is what a test says, from a directory downwards")
  func fake() throws {
    let files = InMemoryFileSystem()
    files.putDirectory("/mnt/share/logs")
    files.setKind(.remote(name: "nfs"), "/mnt/share")
    #expect(try files.kind(of: "/mnt/share/logs") == .remote(name: "nfs"))
    #expect(try files.kind(of: "/mnt") == .local)
  }
}
