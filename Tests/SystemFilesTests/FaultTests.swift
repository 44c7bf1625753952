import SystemFiles
import SystemPackage
import Testing

@Suite("The fake file system") struct FaultTests {
  @Test("fails the call it was told to, and no other")
  func nthCall() throws {
    let files = InMemoryFileSystem()
    files.fail(.write, at: 2, with: .ioError)
    let file = try files.createTemporary(in: "/", fallbackName: "t")
    try files.write([1], to: file)
    let error = failure { () throws(FileError) in try files.write([2], to: file) }
    #expect(error?.errno == .ioError)
    try files.write([3], to: file)
    try files.place(file, at: "/f")
    #expect(files.bytes(at: "/f") == [1, 3])
    #expect(files.callCount(.write) == 3)
  }

  @Test(
    "leaves no temporary file when a step of publishing fails",
    arguments: [FileOperation.create, .write, .synchronize, .rename])
  func failedStep(operation: FileOperation) throws {
    var features = InMemoryFileSystem.Features()
    features.namelessFiles = false
    let files = InMemoryFileSystem(features: features)
    files.fail(operation, with: .diskQuotaExceeded)
    let error = failure { () throws(FileError) in
      try files.publish([1], at: "/f", temporaryName: "t")
    }
    #expect(error?.errno == .diskQuotaExceeded)
    #expect(files.tree == "")
  }

  @Test("changes nothing while it is read-only")
  func readOnly() throws {
    let files = InMemoryFileSystem()
    files.put("/f", [1])
    files.setReadOnly(true)
    let error = failure { () throws(FileError) in try files.remove("/f") }
    #expect(error?.errno == .readOnlyFileSystem)
    #expect(try files.contents(of: "/f", limit: 1).bytes == [1])
  }

  @Test("refuses what may not be opened")
  func refused() throws {
    let files = InMemoryFileSystem()
    files.put("/d/f", [1])
    files.setRefused(true, "/d")
    let list = failure { () throws(FileError) in _ = try files.list("/d") }
    let read = failure { () throws(FileError) in _ = try files.contents(of: "/d/f", limit: 1) }
    #expect(list?.errno == .permissionDenied)
    #expect(read?.errno == .permissionDenied)
  }

  @Test("shows a file that grows while it is read")
  func growing() throws {
    let files = InMemoryFileSystem()
    files.put("/f", [1])
    files.appendDuringNextRead([2], to: "/f")
    let first = try files.contents(of: "/f", limit: 10)
    #expect(first.bytes == [1])
    #expect(first.changedWhileRead)
    let second = try files.contents(of: "/f", limit: 10)
    #expect(second.bytes == [1, 2])
    #expect(!second.changedWhileRead)
  }

  @Test("follows links on the way, but not at the end, and finds loops")
  func links() throws {
    let files = InMemoryFileSystem()
    files.put("/d/f", [1])
    files.putLink("/l", to: "d")
    files.putLink("/d/m", to: "../l/f")
    files.putLink("/loop", to: "loop")
    #expect(try files.contents(of: "/l/f", limit: 1).bytes == [1])
    #expect(try files.canonicalPath(of: "/l/m") == "/d/f")
    let link = failure { () throws(FileError) in _ = try files.contents(of: "/d/m", limit: 1) }
    #expect(link == .notAFile("/d/m", found: .symbolicLink))
    let loop = failure { () throws(FileError) in _ = try files.list("/loop/x") }
    #expect(loop?.errno == .tooManySymbolicLinkLevels)
  }

  @Test("lists itself as text, one line a name whatever the name")
  func text() throws {
    let files = InMemoryFileSystem()
    files.put(FilePath("/d").appending(try component([0x61, 0x0A, 0xFF])), [1, 2])
    files.putSpecial("/fifo", kind: .fifo)
    files.putLink("/l", to: "d")
    #expect(
      files.tree == """
        directory /d/
        regular /d/a\\x0a\\xff 2
        fifo /fifo
        symbolicLink /l -> d
        """)
  }

  @Test("has a copy that goes its own way")
  func copies() throws {
    let files = InMemoryFileSystem()
    files.put("/f", [1])
    let copy = files.copy()
    files.put("/f", [2])
    copy.append([3], to: "/f")
    copy.truncate("/f", to: 1)
    #expect(files.bytes(at: "/f") == [2])
    #expect(copy.bytes(at: "/f") == [1])
  }
}
