import Glibc
import SystemFiles
import SystemPackage
import TestSupport
import Testing

@Suite("Reading a file") struct ReadingTests {
  @Test("refuses one that is larger than the limit", arguments: Subject.allCases)
  func limit(subject: Subject) throws {
    try subject.run { files, directory in
      let path = directory.appending("f")
      try files.publish([1, 2, 3, 4], at: path, temporaryName: "t")
      #expect(try files.contents(of: path, limit: 4).bytes == [1, 2, 3, 4])
      let error = failure { () throws(FileError) in _ = try files.contents(of: path, limit: 3) }
      #expect(error?.isTooLarge == true)
    }
  }

  @Test("refuses a directory as no file", arguments: Subject.allCases)
  func directory(subject: Subject) throws {
    try subject.run { files, directory in
      let error = failure { () throws(FileError) in
        _ = try files.contents(of: directory, limit: 10)
      }
      #expect(error == .notAFile(directory, found: .directory))
    }
  }

  @Test("says that nothing is there", arguments: Subject.allCases)
  func missing(subject: Subject) throws {
    try subject.run { files, directory in
      let path = directory.appending("none")
      let error = failure { () throws(FileError) in _ = try files.contents(of: path, limit: 10) }
      #expect(error == FileError(.open, path, .noSuchFileOrDirectory))
    }
  }

  @Test("follows no symbolic link")
  func symbolicLink() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path.appending("link")
    #expect(symlink("/etc/passwd", path.string) == 0)
    let files = LinuxFileSystem()
    let error = failure { () throws(FileError) in _ = try files.contents(of: path, limit: 1 << 20) }
    #expect(error == .notAFile(path, found: .symbolicLink))
    #expect(try files.status(of: path).kind == .symbolicLink)
    #expect(try files.list(directory.path) == [DirectoryEntry(name: "link", kind: .symbolicLink)])
  }

  @Test("lists no directory behind a symbolic link")
  func linkToDirectory() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path.appending("link")
    #expect(symlink("/etc", path.string) == 0)
    let error = failure { () throws(FileError) in _ = try LinuxFileSystem().list(path) }
    #expect(error?.errno == .notDirectory)
  }

  @Test("does not wait for the other end of a FIFO", .timeLimit(.minutes(1)))
  func fifo() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path.appending("fifo")
    #expect(mkfifo(path.string, 0o600) == 0)
    let error = failure { () throws(FileError) in
      _ = try LinuxFileSystem().contents(of: path, limit: 10)
    }
    #expect(error == .notAFile(path, found: .fifo))
  }

  @Test("reads what the kernel makes up, whose size is told as none, in few calls")
  func sizeless() throws {
    let files = LinuxFileSystem()
    // How many reading calls this thread has made (proc(5)).
    func calls() throws -> Int {
      let contents = try files.contents(of: "/proc/thread-self/io", limit: 1 << 16)
      let lines = String(decoding: contents.bytes, as: UTF8.self).split(separator: "\n")
      let line = try #require(lines.first { $0.hasPrefix("syscr: ") })
      return try #require(Int(line.dropFirst("syscr: ".count)))
    }
    let before = try calls()
    let contents = try files.contents(of: "/proc/self/mountinfo", limit: 1 << 20)
    #expect(contents.statusBefore.size == 0)
    #expect(contents.bytes.count > 100)
    #expect(try calls() - before < 20)
  }

  @Test("takes no memory for a size that is promised and not there")
  func sparseFile() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path.appending("huge")
    let files = LinuxFileSystem()
    try files.publish([1], at: path, temporaryName: "t")
    #expect(truncate(path.string, 1 << 40) == 0)
    let error = failure { () throws(FileError) in
      _ = try files.contents(of: path, limit: 64 << 20)
    }
    #expect(error?.isTooLarge == true)
  }

  @Test("reads a file of /proc, whose size is said to be 0")
  func sizeTooSmall() throws {
    let contents = try LinuxFileSystem().contents(of: "/proc/self/mountinfo", limit: 1 << 24)
    #expect(contents.bytes.count > 0)
    #expect(contents.changedWhileRead)
    let error = failure { () throws(FileError) in
      _ = try LinuxFileSystem().contents(of: "/proc/self/mountinfo", limit: 5)
    }
    #expect(error?.isTooLarge == true)
  }

  @Test("reads a file of several pieces whole")
  func largeFile() throws {
    let directory = try TemporaryDirectory()
    let files = LinuxFileSystem()
    let bytes = (0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let path = directory.path.appending("f")
    try files.publish(bytes, at: path, temporaryName: "t")
    let contents = try files.contents(of: path, limit: 3_000_001)
    #expect(contents.bytes == bytes)
    #expect(!contents.changedWhileRead)
  }

  @Test("survives a time beyond what 64 bits of nanoseconds hold")
  func distantTime() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path.appending("f")
    let files = LinuxFileSystem()
    try files.publish([], at: path, temporaryName: "t")
    var times = [timespec(tv_sec: 1 << 40, tv_nsec: 0), timespec(tv_sec: 1 << 40, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, path.string, &times, 0) == 0)
    // ext4 clamps it to the year 2446, tmpfs keeps it; nanoseconds end in 2262.
    #expect(try files.status(of: path).modified == .max)
  }
}
