import SystemFiles
import SystemPackage
import TestSupport

/// The real file system and the fake, for what both must do alike.
enum Subject: String, CaseIterable, Sendable, CustomStringConvertible {
  case real
  case fake
  case fakeThatOnlyRenames

  var description: String { rawValue }

  /// Runs `body` with the file system and an empty directory in it.
  func run(_ body: (any FileSystem, FilePath) throws -> Void) throws {
    switch self {
    case .real:
      let directory = try TemporaryDirectory()
      try body(LinuxFileSystem(), directory.path)
      withExtendedLifetime(directory) {}
    case .fake: try runFake(InMemoryFileSystem(), body)
    case .fakeThatOnlyRenames: try runFake(InMemoryFileSystem(features: .renameOnly), body)
    }
  }

  private func runFake(
    _ files: InMemoryFileSystem, _ body: (any FileSystem, FilePath) throws -> Void
  ) throws {
    files.putDirectory("/work")
    try body(files, "/work")
  }
}
