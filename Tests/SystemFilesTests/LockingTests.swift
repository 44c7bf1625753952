import Foundation
import SystemFiles
import SystemPackage
import Testing

@Suite("A lock") struct LockingTests {
  @Test("excludes another in the same process until it is released", arguments: Subject.allCases)
  func excludes(subject: Subject) throws {
    try subject.run { files, directory in
      let path = directory.appending("lock")
      let lock = try files.lock(path, exclusive: true, wait: false, holder: Array("42".utf8))
      #expect(try files.contents(of: path, limit: 100).bytes == Array("42".utf8))
      let error = failure { () throws(FileError) in
        _ = try files.lock(path, exclusive: false, wait: false, holder: [])
      }
      #expect(error?.isLockedByAnother == true)
      lock.release()
      lock.release()
      #expect(try files.contents(of: path, limit: 100).bytes == [])
      let next = try files.lock(path, exclusive: true, wait: true, holder: [])
      next.release()
    }
  }

  // Lesson 25: whoever has it may be suspended.
  @Test("is not waited for without end")
  func waits() throws {
    try Subject.real.run { _, directory in
      let path = directory.appending("lock")
      let files = LinuxFileSystem(longestLockWait: .milliseconds(20))
      let lock = try files.lock(path, exclusive: true, wait: false, holder: [])
      let error = failure { () throws(FileError) in
        _ = try files.lock(path, exclusive: false, wait: true, holder: [])
      }
      #expect(error?.isLockedByAnother == true)
      lock.release()
      try files.lock(path, exclusive: false, wait: true, holder: []).release()
    }
  }

  @Test("is shared with others that don't exclude", arguments: Subject.allCases)
  func shares(subject: Subject) throws {
    try subject.run { files, directory in
      let path = directory.appending("lock")
      let first = try files.lock(path, exclusive: false, wait: false, holder: [])
      let second = try files.lock(path, exclusive: false, wait: false, holder: [])
      first.release()
      let error = failure { () throws(FileError) in
        _ = try files.lock(path, exclusive: true, wait: false, holder: [])
      }
      #expect(error?.isLockedByAnother == true)
      second.release()
      try files.lock(path, exclusive: true, wait: false, holder: []).release()
    }
  }

  // Lesson 23.
  @Test("goes away with its object, but not when the file is read", arguments: Subject.allCases)
  func endsWithObject(subject: Subject) throws {
    try subject.run { files, directory in
      let path = directory.appending("lock")
      var lock: FileLock? = try files.lock(path, exclusive: true, wait: false, holder: [1])
      _ = try files.contents(of: path, limit: 10)
      let error = failure { () throws(FileError) in
        _ = try files.lock(path, exclusive: true, wait: false, holder: [])
      }
      #expect(error?.isLockedByAnother == true)
      withExtendedLifetime(lock) {}
      lock = nil
      try files.lock(path, exclusive: true, wait: false, holder: []).release()
    }
  }

  // Between fork and exec a child has such a copy of every descriptor, O_CLOEXEC or not.
  @Test("is free once released, though a copy of its descriptor stays open")
  func copiedDescriptor() throws {
    try Subject.real.run { files, directory in
      let path = directory.appending("lock")
      let lock = try files.lock(path, exclusive: true, wait: false, holder: [1])
      let copy = try #require(try Self.copyDescriptor(of: path))
      defer { close(copy) }
      lock.release()
      try files.lock(path, exclusive: true, wait: false, holder: []).release()
    }
  }

  /// A duplicate of this process's open descriptor of a file; nil where it has none.
  private static func copyDescriptor(of path: FilePath) throws -> Int32? {
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    return open.lazy.compactMap { Int32($0) }.first {
      let link = "/proc/self/fd/\($0)"
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
      return target.map { FilePath($0) } == path
    }.map { dup($0) }
  }

  @Test("is created for its owner alone", arguments: Subject.allCases)
  func mode(subject: Subject) throws {
    try subject.run { files, directory in
      let path = directory.appending("lock")
      try files.lock(path, exclusive: true, wait: false, holder: []).release()
      #expect(try files.status(of: path).mode == 0o600)
    }
  }

  @Test("held by a process that was killed is free after a reboot")
  func reboot() throws {
    let files = InMemoryFileSystem()
    let lock = try files.lock("/lock", exclusive: true, wait: false, holder: [1])
    files.reboot()
    let next = try files.lock("/lock", exclusive: true, wait: false, holder: [2])
    lock.release()
    #expect(files.bytes(at: "/lock") == [2])
    next.release()
  }
}
