import SystemFiles
import SystemPackage
import Testing

@Suite("Publishing a file") struct PublishingTests {
  @Test("leaves the whole file and no other", arguments: Subject.allCases)
  func wholeFile(subject: Subject) throws {
    try subject.run { files, directory in
      let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
      let path = directory.appending("1.log")
      try files.publish(bytes, at: path, temporaryName: ".feedsync-1.nosync")
      #expect(try files.contents(of: path, limit: 1 << 20).bytes == bytes)
      #expect(try files.list(directory).map(\.name) == ["1.log"])
      #expect(try files.status(of: path).links == 1)
    }
  }

  @Test("leaves an existing file of that name untouched", arguments: Subject.allCases)
  func existingFile(subject: Subject) throws {
    try subject.run { files, directory in
      let path = directory.appending("1.log")
      try files.publish([1, 2, 3], at: path, temporaryName: "t")
      let before = try files.status(of: path)
      let error = failure { () throws(FileError) in
        try files.publish([4], at: path, temporaryName: "t")
      }
      #expect(error?.errno == .fileExists)
      #expect(try files.contents(of: path, limit: 10).bytes == [1, 2, 3])
      #expect(try files.status(of: path).inode == before.inode)
      #expect(try files.list(directory).map(\.name) == ["1.log"])
    }
  }

  @Test("takes names that are no text", arguments: Subject.allCases)
  func strangeNames(subject: Subject) throws {
    try subject.run { files, directory in
      let names = [try component(Array("a\nb".utf8)), try component([0xFF, 0xFE, 0x20])]
      for name in names {
        try files.publish([7], at: directory.appending(name), temporaryName: "t")
        #expect(try files.contents(of: directory.appending(name), limit: 1).bytes == [7])
      }
      let listed = Set(try files.list(directory).map(\.name.bytes))
      #expect(listed == Set(names.map(\.bytes)))
    }
  }

  @Test("says that the directory is missing", arguments: Subject.allCases)
  func missingDirectory(subject: Subject) throws {
    try subject.run { files, directory in
      let error = failure { () throws(FileError) in
        try files.publish([1], at: directory.appending("no/1.log"), temporaryName: "t")
      }
      #expect(error?.operation == .create)
      #expect(error?.errno == .noSuchFileOrDirectory)
    }
  }

  @Test("takes an empty file", arguments: Subject.allCases)
  func emptyFile(subject: Subject) throws {
    try subject.run { files, directory in
      try files.publish([], at: directory.appending("e"), temporaryName: "t")
      #expect(try files.contents(of: directory.appending("e"), limit: 0).bytes == [])
    }
  }
}
