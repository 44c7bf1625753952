import Foundation
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// Whether this user may write what has a name in a directory that is open.
@Suite struct WritableNameTests {
  private let directory: TemporaryDirectory
  private let open: OpenDirectory

  init() throws {
    directory = try TemporaryDirectory()
    open = try OpenDirectory(directory.path)
    try Data("a".utf8).write(to: URL(filePath: directory.path.appending("a").string))
    // For whoever else looks.
    #expect(chmod(directory.path.string, 0o755) == 0)
  }

  /// Runs as another user, on this thread alone, where the tests are run by the superuser, who may
  /// write everything.
  private func asOrdinaryUser(_ body: () throws -> Void) rethrows {
    typealias Function = @convention(c) (UInt32) -> Int32
    guard geteuid() == 0, let symbol = dlsym(nil, "setfsuid") else { return try body() }
    let setUser = unsafeBitCast(symbol, to: Function.self)
    _ = setUser(65_534)
    defer { _ = setUser(0) }
    try body()
  }

  private func setMode(_ mode: UInt32) {
    #expect(chmod(directory.path.appending("a").string, mode) == 0)
  }

  @Test func oneWithoutTheRightIsRefusedAndOneWithItIsNot() throws {
    let refusal = FileError(.access, directory.path.appending("a"), .permissionDenied)
    for mode in [0o400, 0o444, 0o555] as [UInt32] {
      setMode(mode)
      asOrdinaryUser { #expect(throws: refusal) { try open.checkWritable("a") } }
    }
    setMode(0o666)
    try asOrdinaryUser { try open.checkWritable("a") }
  }

  @Test func oneThatIsNotThereIsNotRefusedNorALinkForWhatItLeadsTo() throws {
    setMode(0o444)
    try LinuxFileSystem().makeSymbolicLink(directory.path.appending("link"), to: "a")
    try asOrdinaryUser {
      try open.checkWritable("none")
      try open.checkWritable("link")
    }
  }

  @Test(.enabled(if: geteuid() == 0)) func theSuperuserMayWriteEverything() throws {
    setMode(0o444)
    try open.checkWritable("a")
  }
}
