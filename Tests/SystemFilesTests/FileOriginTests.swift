import Foundation
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// What tells a database from a copy of it, and this machine from others (protocol.md 25).
@Suite("What a file is known by") struct FileOriginTests {
  private let directory: TemporaryDirectory
  private let path: FilePath

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path.appending("f")
    try LinuxFileSystem().publish([1], at: path, temporaryName: "t")
  }

  private func text(of path: FilePath) throws -> String {
    String(decoding: try #require(FileOrigin.describe(path)), as: UTF8.self)
  }

  @Test("stays as it is whatever is written into it, and wherever it is moved")
  func same() throws {
    let before = try text(of: path)
    let file = try FileHandle(forWritingTo: URL(filePath: path.string))
    try file.write(contentsOf: Data(repeating: 2, count: 10_000))
    try file.close()
    #expect(try text(of: path) == before)
    #expect(chmod(path.string, 0o640) == 0)
    let moved = directory.path.appending("moved")
    try LinuxFileSystem().makeDirectory(moved, mode: 0o700)
    try LinuxFileSystem().rename(path, to: moved.appending("g"))
    #expect(try text(of: moved.appending("g")) == before)
  }

  @Test("is another for a copy, also where that has taken its place and its times")
  func copied() throws {
    let before = try text(of: path)
    let times = try FileManager.default.attributesOfItem(atPath: path.string)
    let copy = directory.path.appending("copy")
    try LinuxFileSystem().publish([1], at: copy, temporaryName: "t")
    let modified = try #require(times[.modificationDate] as? Date)
    try FileManager.default.setAttributes(
      [.modificationDate: modified], ofItemAtPath: copy.string)
    let after = try text(of: copy)
    #expect(after != before)
    try LinuxFileSystem().rename(copy, to: path)
    #expect(try text(of: path) == after)
  }

  @Test("begins with the machine's name")
  func machine() throws {
    // Not every machine has one.
    let text = (try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)) ?? ""
    let name = text.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init)
    let lines = try self.text(of: path).components(separatedBy: "\n")
    #expect(lines.count == 3 && lines.first == name)
  }

  @Test("is nothing where it cannot be looked at, and so is compared with nothing")
  func missing() {
    #expect(FileOrigin.describe(directory.path.appending("none")) == nil)
    #expect(FileOrigin.describe(path.appending("below")) == nil)
  }
}
