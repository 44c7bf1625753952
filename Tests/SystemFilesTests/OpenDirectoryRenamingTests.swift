import Foundation
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// Names that must not replace anything, in a directory that is open.
@Suite struct OpenDirectoryRenamingTests {
  /// As the file system does it, and as is done where it has no call for that.
  enum Way: CaseIterable { case call, none }

  private let directory: TemporaryDirectory
  private let open: OpenDirectory

  init() throws {
    directory = try TemporaryDirectory()
    open = try OpenDirectory(directory.path)
    for name in ["a", "b"] { try write(name) }
  }

  private func rename(
    _ name: FilePath.Component, to new: FilePath.Component, _ way: Way
  ) throws(FileError) {
    switch way {
    case .call: try open.renameExclusively(name, to: new)
    case .none: try open.renameIfAbsent(name, to: new)
    }
  }

  private func write(_ name: String) throws {
    try Data(name.utf8).write(to: URL(filePath: directory.path.appending(name).string))
  }

  private func read(_ name: String) throws -> String {
    let url = URL(filePath: directory.path.appending(name).string)
    return String(decoding: try Data(contentsOf: url), as: UTF8.self)
  }

  @Test(arguments: Way.allCases) func aNameThatIsTakenIsNotGivenAway(way: Way) throws {
    try LinuxFileSystem().makeSymbolicLink(directory.path.appending("link"), to: "nothing")
    for taken in ["b", "link"] as [FilePath.Component] {
      #expect {
        try rename("a", to: taken, way)
      } throws: { error in
        (error as? FileError)?.errno == .fileExists
      }
    }
    #expect(try read("a") == "a" && read("b") == "b")
    #expect(try open.status(of: "link").kind == .symbolicLink)
  }

  @Test(arguments: Way.allCases) func aNameThatIsFreeIsTakenAndTheFormerOneIsGone(way: Way) throws {
    try rename("a", to: "c", way)
    #expect(try read("c") == "a" && open.list().map(\.name.string).sorted() == ["b", "c"])
    #expect {
      try rename("missing", to: "a", way)
    } throws: { error in
      (error as? FileError)?.errno == .noSuchFileOrDirectory
    }
  }
}
