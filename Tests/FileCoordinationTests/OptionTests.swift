import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// What the options of an intent do to an access: C21, C22, C23.
@Suite struct OptionTests {
  let workshop: Workshop
  let (here, there): (CoordinationDomain, CoordinationDomain)

  init() throws {
    workshop = try Workshop()
    (here, there) = (try workshop.domain(), try workshop.domain())
  }

  @Test func c21_anUploadGetsASnapshotWhileOthersWriteOn() throws {
    let file = try workshop.file("f.txt", "old")
    var snapshot = FilePath()
    let open = try FileCoordinator(there).read(file, .forUploading) { path in
      snapshot = path
      #expect(path != file && path.extension == "txt")
      try FileCoordinator(here).write(file, timeout: .seconds(5)) {
        try Workshop.write("new", to: $0)
      }
      #expect(try Workshop.read(path) == "old")
      return try FileDescriptor.open(path, .readOnly)
    }
    // Its name is gone, and whoever has it open reads on.
    #expect(throws: FileError.self) { try LinuxFileSystem().status(of: snapshot) }
    var bytes = [UInt8](repeating: 0, count: 8)
    #expect(try bytes.withUnsafeMutableBytes { try open.read(into: $0) } == 3)
    try open.close()
  }

  @Test func c21_noSnapshotIsLeftWhereALaterOneCannotBeMade() throws {
    let (first, second) = (try workshop.file("f.txt", "old"), try workshop.file("missing"))
    let snapshots = workshop.state.appending("coordination").appending("snapshots")
    #expect(throws: (any Error).self) {
      try FileCoordinator(there).coordinate([
        .reading(first, .forUploading), .reading(second, .forUploading),
      ]) { _ in Issue.record("the accessor was run") }
    }
    let left = try? FileManager.default.contentsOfDirectory(atPath: snapshots.string)
    #expect(left ?? [] == [])
  }

  @Test func c21_aSnapshotThatIsInUseStaysWhereAnotherTakesTheQueueOver() throws {
    let file = try workshop.file("f.txt", "old")
    let (here, there) = (here, there)
    try FileCoordinator(here).read(file, .forUploading) { path in
      here.close()
      _ = try there.report()
      #expect(try Workshop.read(path) == "old")
    }
  }

  @Test func c21_oneThatWasLeftBehindGoesWhoeverHasItsProcessesNumberByNow() throws {
    let workshop = try Workshop()
    let place = try CoordinationPlace(workshop.coordination)
    let snapshots = place.path.appending("snapshots")
    let names = ["\(getpid())-1.txt", "00000000000000ff.txt"]
    for name in names { try Workshop.write("left", to: snapshots.appending(name)) }
    _ = try workshop.domain()
    let left = try FileManager.default.contentsOfDirectory(atPath: snapshots.string)
    // Of an earlier version's nobody knows.
    #expect(left == Array(names.prefix(1)))
  }

  @Test func c21_anUploadOfAFolderIsAZipArchive() throws {
    let folder = try workshop.file("album")
    try Workshop.makeFolder(folder)
    try Workshop.makeFolder(folder.appending("empty"))
    try Workshop.write(String(repeating: "picture", count: 1_000), to: folder.appending("a"))
    try Workshop.write("", to: folder.appending("b"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.appending("link").string, withDestinationPath: "/etc/passwd")
    let script = """
      import sys, zipfile
      archive = zipfile.ZipFile(sys.argv[1])
      print(archive.testzip(), *archive.namelist(), len(archive.read("album/a")))
      """
    let output = try FileCoordinator(here).read(folder, .forUploading) { path in
      #expect(path.extension == "zip")
      return try Self.run("/usr/bin/python3", "-c", script, path.string)
    }
    #expect(output == "None album/ album/a album/b album/empty/ 7000\n")
  }

  @Test func c21_whatIsNoFileHasNoSnapshot() throws {
    let fifo = try workshop.file("fifo")
    try #require(fifo.withPlatformString { mkfifo($0, 0o600) } == 0)
    for path in [fifo, "/dev/null"] {
      let error = CoordinationError.system(
        operation: "copy", path: path.string, errno: Errno.invalidArgument.rawValue)
      #expect(throws: error) {
        try FileCoordinator(here).read(path, .forUploading) { _ in
          _ = Issue.record("the accessor was run")
        }
      }
    }
  }

  @Test func c21_anArchiveIsWholeThoughAFileHasOtherContentsAtEachReading() throws {
    let script = """
      import sys, zipfile
      archive = zipfile.ZipFile(sys.argv[1])
      print(archive.testzip(), len(archive.read("random/uuid")))
      """
    // A number that the kernel makes anew whenever it is read (random(4)).
    let output = try FileCoordinator(here).read("/proc/sys/kernel/random", .forUploading) { path in
      try Self.run("/usr/bin/python3", "-c", script, path.string)
    }
    #expect(output == "None 37\n")
  }

  static func run(_ program: String, _ arguments: String...) throws -> String {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self)
  }

  @Test func c22_whoeverClaimsMetadataAloneMustLeaveContentsAlone() throws {
    let file = try workshop.file("f", "text")
    let coordinator = try FileCoordinator(there)
    try coordinator.write(file, .contentIndependentMetadataOnly) { path in
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o600], ofItemAtPath: path.string)
    }
    #expect(throws: CoordinationError.contentsChanged(path: file.string)) {
      try coordinator.write(file, .contentIndependentMetadataOnly) {
        try Workshop.write("another text", to: $0)
      }
    }
  }

  @Test func c23_aResolvedLinkGivesThePathOfItsTargetAndClaimsThat() throws {
    let (target, link) = (try workshop.file("target", "text"), try workshop.file("link"))
    try FileManager.default.createSymbolicLink(
      atPath: link.string, withDestinationPath: "target")
    let coordinator = try FileCoordinator(there)
    try coordinator.read(link, .resolvesSymbolicLink) { path in
      #expect(path == target)
      #expect(throws: CoordinationError.self) {
        try FileCoordinator(here).write(target, timeout: .milliseconds(50)) { _ in }
      }
    }
    try coordinator.read(link) { #expect($0 == link) }
  }

  @Test func pathsOfAllSpellingsMeanTheSameItem() throws {
    let file = try workshop.file("f", "text")
    let folder = try workshop.file("elsewhere")
    try FileManager.default.createSymbolicLink(
      atPath: folder.string, withDestinationPath: workshop.files.string)
    let spellings = [
      folder.appending("f"), FilePath("\(workshop.files)/./f"),
      FilePath("\(workshop.files)/../files/f"),
    ]
    try FileCoordinator(here).write(file) { _ in
      for path in spellings {
        #expect(throws: CoordinationError.self, "\(path)") {
          try FileCoordinator(there).read(path, timeout: .milliseconds(20)) { _ in }
        }
      }
    }
  }
}
