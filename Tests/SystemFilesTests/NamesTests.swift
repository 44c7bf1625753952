import SystemFiles
import SystemPackage
import Testing

@Suite("Directories and names") struct NamesTests {
  @Test("A directory that exists is not made again", arguments: Subject.allCases)
  func makeTwice(subject: Subject) throws {
    try subject.run { files, directory in
      let path = directory.appending("d")
      try files.makeDirectory(path, mode: 0o700)
      #expect(try files.status(of: path).kind == .directory)
      #expect(try files.status(of: path).mode == 0o700)
      let error = failure { () throws(FileError) in try files.makeDirectory(path, mode: 0o700) }
      #expect(error == FileError(.makeDirectory, path, .fileExists))
    }
  }

  @Test(
    "A link stands for its target, and takes no name that is taken", arguments: Subject.allCases)
  func link(subject: Subject) throws {
    try subject.run { files, directory in
      let (target, link) = (directory.appending("d"), directory.appending("l"))
      try files.makeDirectory(target, mode: 0o700)
      try files.makeSymbolicLink(link, to: target)
      #expect(try files.status(of: link).kind == .symbolicLink)
      let (found, real) = (
        try files.canonicalPath(of: link), try files.canonicalPath(of: target)
      )
      #expect(found == real)
      let error = failure { () throws(FileError) in
        try files.makeSymbolicLink(link, to: directory)
      }
      #expect(error == FileError(.link, link, .fileExists))
    }
  }

  @Test("A link says what it leads to, though that is not there", arguments: Subject.allCases)
  func linkTarget(subject: Subject) throws {
    try subject.run { files, directory in
      let link = directory.appending("l")
      for target: FilePath in ["none", "/none/at/all", "../up"] {
        try files.makeSymbolicLink(link, to: target)
        #expect(try files.linkTarget(of: link) == target)
        try files.remove(link)
      }
      let error = failure { () throws(FileError) in _ = try files.linkTarget(of: directory) }
      #expect(error?.errno == .invalidArgument)
      let missing = failure { () throws(FileError) in _ = try files.linkTarget(of: link) }
      #expect(missing == FileError(.canonicalPath, link, .noSuchFileOrDirectory))
    }
  }

  @Test("No name can be made in a file, whatever its mode says", arguments: Subject.allCases)
  func writingToFile(subject: Subject) throws {
    try subject.run { files, directory in
      try files.checkWriting(to: directory)
      let (file, link) = (directory.appending("f"), directory.appending("l"))
      try files.publish([1], at: file, temporaryName: "t", exactMode: 0o777)
      let error = failure { () throws(FileError) in try files.checkWriting(to: file) }
      #expect(error == FileError(.access, file, .notDirectory))
      try files.makeSymbolicLink(link, to: directory)
      try files.checkWriting(to: link)
      let none = directory.appending("none")
      let missing = failure { () throws(FileError) in try files.checkWriting(to: none) }
      #expect(missing == FileError(.access, none, .noSuchFileOrDirectory))
    }
  }

  @Test("Removing needs the right call for the kind", arguments: Subject.allCases)
  func removing(subject: Subject) throws {
    try subject.run { files, directory in
      let path = directory.appending("d")
      try files.makeDirectory(path, mode: 0o700)
      try files.publish([1], at: path.appending("f"), temporaryName: "t")
      let wrong = failure { () throws(FileError) in try files.remove(path) }
      #expect(wrong?.errno == .isDirectory)
      let full = failure { () throws(FileError) in try files.removeDirectory(path) }
      #expect(full?.errno == .directoryNotEmpty)
      try files.remove(path.appending("f"))
      try files.removeDirectory(path)
      #expect(try files.list(directory).isEmpty)
    }
  }

  @Test("Renaming replaces a file", arguments: Subject.allCases)
  func renaming(subject: Subject) throws {
    try subject.run { files, directory in
      let (old, new) = (directory.appending("a"), directory.appending("b"))
      try files.publish([1], at: old, temporaryName: "t")
      try files.publish([2], at: new, temporaryName: "t")
      try files.rename(old, to: new)
      #expect(try files.contents(of: new, limit: 1).bytes == [1])
      #expect(try files.list(directory).map(\.name) == ["b"])
    }
  }

  @Test("A canonical path has no dots", arguments: Subject.allCases)
  func canonical(subject: Subject) throws {
    try subject.run { files, directory in
      try files.makeDirectory(directory.appending("d"), mode: 0o700)
      let path = directory.appending("d/../d/.")
      #expect(
        try files.canonicalPath(of: path) == files.canonicalPath(of: directory).appending("d"))
      let error = failure { () throws(FileError) in
        _ = try files.canonicalPath(of: directory.appending("none"))
      }
      #expect(error?.errno == .noSuchFileOrDirectory)
    }
  }

  @Test("A path and a name are the bytes they were made from")
  func bytes() throws {
    let bytes: [UInt8] = [0x2F, 0xFF, 0x0A, 0x2F, 0xC3]
    #expect(try #require(FilePath(bytes: bytes)).bytes == bytes)
    #expect(FilePath(bytes: [0x61, 0, 0x62]) == nil)
    for bad in [[], [0x61, 0x2F], [0x2F], [0]] as [[UInt8]] {
      #expect(FilePath.Component(bytes: bad) == nil)
    }
    #expect(FilePath("name").parent == ".")
    #expect(FilePath("/name").parent == "/")
  }
}
