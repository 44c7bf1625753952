import Glibc
import SystemFiles
import SystemPackage
import TestSupport
import Testing

@Suite("A full disk") struct FullDiskTests {
  @Test(
    "fails a publish with no space left, and leaves nothing behind",
    .enabled(if: MountTrial.succeeds, "no tmpfs can be mounted here"))
  func realDisk() throws {
    let directory = try TemporaryDirectory()
    try #require(mount("feedsync-test", directory.path.string, "tmpfs", 0, "size=64k") == 0)
    defer { umount2(directory.path.string, Int32(MNT_DETACH)) }
    let files = LinuxFileSystem()
    let path = directory.path.appending("1.log")
    let error = failure { () throws(FileError) in
      try files.publish([UInt8](repeating: 1, count: 1 << 20), at: path, temporaryName: "t")
    }
    #expect(error?.operation == .write)
    #expect(error?.errno == .noSpace)
    #expect(try files.list(directory.path).isEmpty)
    try files.publish([1], at: path, temporaryName: "t")
    #expect(try files.contents(of: path, limit: 1).bytes == [1])
  }

  @Test("fails a publish in memory the same way, and room comes back")
  func fakeDisk() throws {
    let files = InMemoryFileSystem(features: .renameOnly)
    files.setCapacity(10)
    let error = failure { () throws(FileError) in
      try files.publish([UInt8](repeating: 1, count: 11), at: "/f", temporaryName: "t")
    }
    #expect(error == FileError(.write, "/t", .noSpace))
    #expect(files.tree == "")
    try files.publish([UInt8](repeating: 1, count: 10), at: "/f", temporaryName: "t")
    #expect(files.tree == "regular /f 10")
  }

  @Test("takes what fits before it fails")
  func shortWrite() throws {
    let files = InMemoryFileSystem(features: .renameOnly)
    files.setRoom(4)
    let file = try files.createTemporary(in: "/", fallbackName: "t")
    let error = failure { () throws(FileError) in try files.write([1, 2, 3, 4, 5], to: file) }
    #expect(error?.errno == .noSpace)
    #expect(files.bytes(at: "/t") == [1, 2, 3, 4])
  }
}
