import Glibc
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// Serialized because the umask belongs to the whole process.
@Suite("Placing a real file", .serialized) struct RealPlacingTests {
  let files = LinuxFileSystem()

  @Test("works for a file that had to be given a temporary name")
  func namedFile() throws {
    let directory = try TemporaryDirectory()
    let target = directory.path.appending("1.log")
    let file = try files.createNamed(in: directory.path, name: ".t.nosync")
    #expect(try files.list(directory.path).map(\.name) == [".t.nosync"])
    try files.write([1, 2], to: file)
    try files.synchronize(file)
    try files.place(file, at: target)
    #expect(try files.list(directory.path).map(\.name) == ["1.log"])
  }

  @Test("refuses to replace a file by one that has a temporary name, which can be discarded")
  func namedFileOverExisting() throws {
    let directory = try TemporaryDirectory()
    let target = directory.path.appending("1.log")
    try files.publish([9], at: target, temporaryName: "t")
    let file = try files.createNamed(in: directory.path, name: ".t.nosync")
    let error = failure { () throws(FileError) in try files.place(file, at: target) }
    #expect(error?.errno == .fileExists)
    files.discard(file)
    #expect(try files.list(directory.path).map(\.name) == ["1.log"])
    #expect(try files.contents(of: target, limit: 1).bytes == [9])
  }

  @Test("counts as done when the file is there although the call failed")
  func renameThatHappened() throws {
    let directory = try TemporaryDirectory()
    let target = directory.path.appending("1.log")
    let file = try files.createNamed(in: directory.path, name: ".t.nosync")
    try files.write([1], to: file)
    // What a lost answer of NFS amounts to: the name has moved, and the second try gets ENOENT.
    try files.rename(file.fallbackPath, to: target)
    try files.place(file, at: target)
    #expect(try files.contents(of: target, limit: 1).bytes == [1])
  }

  @Test("counts as done when a link was made although the call failed")
  func linkThatHappened() throws {
    let directory = try TemporaryDirectory()
    let target = directory.path.appending("1.log")
    let file = try files.createNamed(in: directory.path, name: ".t.nosync")
    #expect(link(file.fallbackPath.string, target.string) == 0)
    // The second try gets EEXIST, but the inode is our own.
    try files.place(file, at: target)
    #expect(try files.list(directory.path).map(\.name) == ["1.log"])
  }

  @Test("respects the umask", arguments: [false, true])
  func umaskIsRespected(named: Bool) throws {
    let directory = try TemporaryDirectory()
    let previous = umask(0o027)
    defer { umask(previous) }
    let file =
      named
      ? try files.createNamed(in: directory.path, name: "t")
      : try files.createTemporary(in: directory.path, fallbackName: "t")
    try files.place(file, at: directory.path.appending("f"))
    #expect(try files.status(of: directory.path.appending("f")).mode == 0o640)
  }

  @Test("leaves no descriptor open")
  func descriptors() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path.appending("f")
    let probe = { Set(try files.list("/proc/self/fd").map(\.name)).count }
    try files.publish([1], at: path, temporaryName: "t")
    let before = try probe()
    for _ in 0..<200 {
      let error = failure { () throws(FileError) in
        try files.publish([1], at: path, temporaryName: "t")
      }
      // Equal content is no excuse: the name was taken.
      #expect(error?.errno == .fileExists)
      _ = try files.contents(of: path, limit: 1)
      _ = failure { () throws(FileError) in _ = try files.contents(of: path, limit: 0) }
      _ = failure { () throws(FileError) in _ = try files.list(path) }
    }
    // Other tests run beside this one and have files open too.
    #expect(try probe() < before + 100)
  }
}
