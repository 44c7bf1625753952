import SystemFiles
import SystemPackage
import TestSupport
import Testing

@Suite("A process killed while it publishes") struct KillTests {
  static let features: [InMemoryFileSystem.Features] = {
    var linking = InMemoryFileSystem.Features()
    linking.namelessFiles = false
    var linkOnly = linking
    linkOnly.exclusiveRename = false
    return [InMemoryFileSystem.Features(), linking, linkOnly, .renameOnly]
  }()

  // Lesson 3.
  @Test("leaves nothing or the whole file under its name", arguments: features)
  func sweep(features: InMemoryFileSystem.Features) throws {
    let bytes: [UInt8] = Array(1...100)
    var kills = 0
    for call in 1... {
      let files = InMemoryFileSystem(features: features)
      files.putDirectory("/logs")
      files.kill(at: call)
      let error = failure { () throws(FileError) in
        try files.publish(bytes, at: "/logs/1.log", temporaryName: "t")
      }
      guard files.wasKilled else {
        #expect(error == nil)
        break
      }
      kills += 1
      #expect(error?.errno == .killed)
      let dead = failure { () throws(FileError) in _ = try files.list("/") }
      #expect(dead?.errno == .killed)
      files.reboot()
      let found = files.bytes(at: "/logs/1.log")
      #expect(found == nil || found == bytes)
      try? files.remove("/logs/t")
      let again = failure { () throws(FileError) in
        try files.publish(bytes, at: "/logs/1.log", temporaryName: "t")
      }
      #expect(again?.errno == (found == nil ? nil : .fileExists))
    }
    // Create, write, synchronize, place, synchronize the directory.
    #expect(kills >= 5)
  }

  @Test("at any point, and then without power, leaves no part of it", arguments: features)
  func sweepWithPowerLoss(features: InMemoryFileSystem.Features) throws {
    let bytes: [UInt8] = (0..<3000).map { UInt8(truncatingIfNeeded: $0 % 255 + 1) }
    var generator = SeededGenerator(seed: 7)
    for call in 1...8 {
      for _ in 0..<50 {
        let files = InMemoryFileSystem(features: features)
        files.putDirectory("/logs")
        files.kill(at: call)
        let error = failure { () throws(FileError) in
          try files.publish(bytes, at: "/logs/1.log", temporaryName: "t")
        }
        files.powerLoss(using: &generator)
        let found = files.bytes(at: "/logs/1.log")
        #expect(found == nil || found == bytes)
        if error == nil { #expect(found == bytes) }
      }
    }
  }
}
