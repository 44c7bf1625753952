import Glibc
import SystemFiles
import SystemPackage
import TestSupport
import Testing

@Suite("Reading a file in pieces") struct PieceReadingTests {
  @Test("gives all of it, in order", arguments: Subject.allCases)
  func all(subject: Subject) throws {
    try subject.run { files, directory in
      let path = directory.appending("f")
      let bytes = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 >> 8 ^ $0) }
      try files.publish(bytes, at: path, temporaryName: "t")
      var (read, pieces): ([UInt8], Int) = ([], 0)
      let reading = try files.read(path) { piece in
        read += piece
        pieces += 1
      }
      #expect(read == bytes)
      #expect(pieces >= 3)
      #expect(reading.count == 600_000)
      #expect(!reading.changedWhileRead)
    }
  }

  @Test("ends with what its user throws", arguments: Subject.allCases)
  func stopped(subject: Subject) throws {
    struct Stop: Error {}
    try subject.run { files, directory in
      let path = directory.appending("f")
      try files.publish([1, 2, 3], at: path, temporaryName: "t")
      #expect(throws: Stop.self) { try files.read(path) { _ in throw Stop() } }
    }
  }

  @Test("refuses a directory, and says that nothing is there", arguments: Subject.allCases)
  func refused(subject: Subject) throws {
    try subject.run { files, directory in
      #expect(throws: FileError.notAFile(directory, found: .directory)) {
        try files.read(directory) { _ in }
      }
      let missing = directory.appending("none")
      #expect(throws: FileError(.open, missing, .noSuchFileOrDirectory)) {
        try files.read(missing) { _ in }
      }
    }
  }

  @Test("follows no link, and does not wait for the other end of a FIFO", .timeLimit(.minutes(1)))
  func linkAndFIFO() throws {
    let directory = try TemporaryDirectory()
    let files = LinuxFileSystem()
    let link = directory.path.appending("link")
    #expect(symlink("/etc/passwd", link.string) == 0)
    #expect(throws: FileError.notAFile(link, found: .symbolicLink)) {
      try files.read(link) { _ in }
    }
    let fifo = directory.path.appending("fifo")
    #expect(mkfifo(fifo.string, 0o600) == 0)
    #expect(throws: FileError.notAFile(fifo, found: .fifo)) { try files.read(fifo) { _ in } }
  }

  @Test("tells that the file grew meanwhile, and ends though it does so for ever")
  func growing() throws {
    for subject in [Subject.real, .fake] {
      try subject.run { files, directory in
        let path = directory.appending("f")
        try files.publish([1, 2, 3], at: path, temporaryName: "t")
        (files as? InMemoryFileSystem)?.appendDuringNextRead([4], to: path)
        let reading = try files.read(path) { _ in
          guard files is LinuxFileSystem, let file = fopen(path.string, "a") else { return }
          fputs("more", file)
          fclose(file)
        }
        #expect(reading.changedWhileRead)
      }
    }
  }
}
