import SystemFiles
import SystemPackage
import TestSupport
import Testing

@Suite("Making directories") struct MakingDirectoriesTests {
  private static let directory: FilePath = "/home/state/versions/container"

  @Test("is completed where a process died at any call: what is in them is safe from power losses")
  func killedThenPowerLoss() throws {
    for (call, seed) in (1...12).flatMap({ call in (1...8).map { (call, UInt64($0)) } }) {
      let files = InMemoryFileSystem()
      files.putDirectory("/home")
      files.kill(at: call)
      _ = try? files.makeOwnDirectories(Self.directory)
      files.reboot()
      try files.makeOwnDirectories(Self.directory)
      let file = Self.directory.appending("file")
      try files.publish([1], at: file, temporaryName: "t")
      var generator = SeededGenerator(seed: seed)
      files.powerLoss(using: &generator)
      #expect(files.bytes(at: file) == [1], "killed at call \(call), seed \(seed)")
    }
  }

  @Test("is for the owner alone, and leaves those above alone that are another's")
  func owners() throws {
    let files = InMemoryFileSystem()
    files.putDirectory("/home")
    files.setOwner(7, group: 7, mode: 0o755, "/home")
    try files.makeOwnDirectories(Self.directory)
    #expect(try files.status(of: Self.directory).mode == 0o700)
    #expect(try files.status(of: "/home").mode == 0o755)
    // Of each new one its name, and those once more, but for the first one's.
    #expect(files.callCount(.synchronizeDirectory) == 5)
  }
}
