import Foundation
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// A file that is closed before its last user goes.
@Suite struct OpenFileClosingTests {
  private let directory: TemporaryDirectory
  private let open: OpenDirectory

  init() throws {
    directory = try TemporaryDirectory()
    open = try OpenDirectory(directory.path)
  }

  /// Whether this process has the file open.
  private func isOpen(_ name: String) throws -> Bool {
    let files = FileManager.default
    return try files.contentsOfDirectory(atPath: "/proc/self/fd").contains { number in
      let path = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
      return path == directory.path.appending(name).string
    }
  }

  @Test func itIsClosedOnceHoweverOftenThatIsAsked() throws {
    let file = try open.create("a")
    try file.write([1, 2, 3])
    #expect(try isOpen("a"))
    try file.close()
    #expect(try !isOpen("a"))
    // By now the number may be another file's.
    let other = try open.create("b")
    try file.close()
    #expect(try isOpen("b"))
    try other.write([4])
    #expect(try open.status(of: "a").size == 3)
  }
}
