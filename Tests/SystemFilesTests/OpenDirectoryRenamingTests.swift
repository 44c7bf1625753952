import Foundation
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// Names that must not replace anything, in a directory that is open.
@Suite struct OpenDirectoryRenamingTests {
  private typealias Renaming =
    (OpenDirectory, FilePath.Component, FilePath.Component) throws(FileError) -> Void

  private let directory: TemporaryDirectory
  private let open: OpenDirectory

  init() throws {
    directory = try TemporaryDirectory()
    open = try OpenDirectory(directory.path)
    for name in ["a", "b"] { try write(name) }
  }

  /// As the file system does it, and as is done where it has no call for that.
  private let ways: [Renaming] = [
    { (open, name, new) throws(FileError) in try open.renameExclusively(name, to: new) },
    { (open, name, new) throws(FileError) in try open.renameIfAbsent(name, to: new) },
  ]

  private func write(_ name: String) throws {
    try Data(name.utf8).write(to: URL(filePath: directory.path.appending(name).string))
  }

  private func read(_ name: String) throws -> String {
    let url = URL(filePath: directory.path.appending(name).string)
    return String(decoding: try Data(contentsOf: url), as: UTF8.self)
  }

  @Test func aNameThatIsTakenIsNotGivenAway() throws {
    try LinuxFileSystem().makeSymbolicLink(directory.path.appending("link"), to: "nothing")
    for rename in ways {
      for taken in ["b", "link"] as [FilePath.Component] {
        #expect {
          try rename(open, "a", taken)
        } throws: { error in
          (error as? FileError)?.errno == .fileExists
        }
      }
      #expect(try read("a") == "a" && read("b") == "b")
      #expect(try open.status(of: "link").kind == .symbolicLink)
    }
  }

  @Test func aNameThatIsFreeIsTakenAndTheFormerOneIsGone() throws {
    for rename in ways {
      try rename(open, "a", "c")
      #expect(try read("c") == "a" && open.list().map(\.name.string).sorted() == ["b", "c"])
      try rename(open, "c", "a")
      #expect {
        try rename(open, "missing", "c")
      } throws: { error in
        (error as? FileError)?.errno == .noSuchFileOrDirectory
      }
    }
  }
}
