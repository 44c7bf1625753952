import DocumentFiles
import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// Paths and files that nobody should be led to.
@Suite struct UnsafeDocumentTests {
  private let desk: Desk
  private let folder: DocumentFolder
  private let secret: FilePath

  init() throws {
    desk = try Desk()
    folder = try desk.folder()
    secret = desk.state.appending("secret")
    try "secret".write(toFile: secret.string, atomically: false, encoding: .utf8)
    try desk.write("a.txt", "mine")
    try desk.write(Desk.copy("a"), "theirs")
  }

  private func link(_ name: String, to target: FilePath) throws {
    try LinuxFileSystem().makeSymbolicLink(desk.path(name), to: target)
  }

  /// Tries all that can be done with a path, and returns what each was refused with.
  private func refusals(_ path: FilePath) async -> [any Error] {
    let version = try? folder.otherVersions(of: "a.txt")?.first
    var errors: [any Error] = []
    func attempt(_ body: () async throws -> Void) async {
      do {
        try await body()
        Issue.record("\(path) was taken")
      } catch {
        errors.append(error)
      }
    }
    await attempt { _ = try folder.currentVersion(of: path) }
    await attempt { _ = try folder.otherVersions(of: path) }
    await attempt { _ = try await DocumentFile<String>.open(path, in: folder) }
    await attempt { _ = try await DocumentFile.create(path, "new", in: folder) }
    await attempt { try await folder.addConflict([], of: path) }
    if let version { await attempt { try await folder.replace(path, with: version) } }
    return errors
  }

  @Test func aPathThatLeavesTheFolderIsRefused() async throws {
    try desk.makeFolder(desk.path("inner"))
    try link("out", to: desk.state)
    try link("inner/up", to: "..")
    for path in [
      "../state/secret", "inner/../../state/secret", "out/secret", "inner/up/../state/secret",
      secret, FilePath("\(desk.root)/../state/secret"), "/etc/passwd", FilePath("\(desk.root)-x/a"),
    ] {
      let errors = await refusals(path)
      #expect(errors.count == 6)
      for error in errors {
        guard case CoordinationError.leavesFolder = error else {
          Issue.record("\(path): \(error)")
          continue
        }
      }
    }
    #expect(try String(contentsOfFile: secret.string, encoding: .utf8) == "secret")
    // A link that stays inside leads where it leads.
    #expect(try folder.currentVersion(of: "inner/up/a.txt")?.path == folder.path.appending("a.txt"))
  }

  @Test func theFolderItselfAndSyncersTemporariesAreNoDocuments() async throws {
    for path in [
      ".", desk.root, ".syncthing.a.txt.tmp", "~syncthing~a.txt.tmp", "a.nosync",
      ".feedsync-0123456789abcdef.nosync",
    ] {
      for error in await refusals(path) {
        guard case DocumentFileError.notADocument = error else {
          Issue.record("\(path): \(error)")
          continue
        }
      }
    }
  }

  @Test func linksFIFOsAndFoldersAreNoDocumentsAndNoVersions() async throws {
    try link("link.txt", to: "a.txt")
    try link("dangling.txt", to: "nothing")
    #expect(mkfifo(desk.path("fifo.txt").string, 0o600) == 0)
    try desk.makeFolder(desk.path("folder.txt"))
    try link(Desk.copy("a", time: "111500"), to: secret)
    #expect(mkfifo(desk.path(Desk.copy("a", time: "121500")).string, 0o600) == 0)
    try desk.makeFolder(desk.path(Desk.copy("a", time: "131500")))
    for (name, kind) in [
      ("link.txt", "symbolicLink"), ("dangling.txt", "symbolicLink"), ("fifo.txt", "fifo"),
      ("folder.txt", "directory"),
    ] {
      let expected = DocumentFileError.notAFile(path: desk.path(name).string, kind: kind)
      // None of these waits for somebody at the other end of a FIFO.
      #expect(throws: expected) { try folder.currentVersion(of: FilePath(name)) }
      await #expect(throws: expected) {
        try await DocumentFile<String>.open(FilePath(name), in: folder)
      }
      await #expect(throws: DocumentFileError.changedMeanwhile(path: desk.path(name).string)) {
        try await DocumentFile.create(FilePath(name), "new", in: folder)
      }
    }
    #expect(try folder.otherVersions(of: "a.txt")?.map(\.persistentIdentifier) == [Desk.copy("a")])
    #expect(try folder.documents().map(\.relativePath) == ["a.txt"])
  }

  @Test func aFileReplacedByALinkBetweenCheckAndOpenIsRefused() async throws {
    let version = try #require(try folder.otherVersions(of: "a.txt")?.first)
    let current = try #require(try folder.currentVersion(of: "a.txt"))
    for name in ["a.txt", Desk.copy("a")] {
      try desk.remove(name)
      try link(name, to: secret)
    }
    for listed in [version, current] {
      #expect(
        throws: DocumentFileError.notAFile(path: listed.path.string, kind: "symbolicLink")
      ) { try folder.contents(of: listed) }
    }
    await #expect(throws: DocumentFileError.self) {
      try await folder.replace("a.txt", with: version)
    }
    await #expect(throws: DocumentFileError.self) { try await folder.remove(version) }
    await #expect(throws: DocumentFileError.self) { try await folder.markResolved([version]) }
    #expect(try String(contentsOfFile: secret.string, encoding: .utf8) == "secret")
    // The links are still there, and nothing came of them.
    #expect(try desk.names == [Desk.copy("a"), "a.txt"].sorted())
    #expect(try LinuxFileSystem().status(of: desk.path("a.txt")).kind == .symbolicLink)
  }

  @Test func aFileReplacedByALinkOrAFIFOWhileItIsSavedIsPutBack() async throws {
    let desk = desk
    let secret = secret
    for isLink in [true, false] {
      let name = isLink ? "b.txt" : "c.txt"
      let document = try await DocumentFile.create(FilePath(name), "old", in: folder)
      try await document.edit { $0 = "edited" }
      desk.atSteps { step in
        guard step == .synchronized else { return }
        try desk.remove(name)
        if isLink {
          try LinuxFileSystem().makeSymbolicLink(desk.path(name), to: secret)
        } else {
          #expect(mkfifo(desk.path(name).string, 0o600) == 0)
        }
      }
      await #expect(throws: DocumentFileError.changedMeanwhile(path: desk.path(name).string)) {
        try await document.save()
      }
      desk.atSteps(nil)
      #expect(
        try LinuxFileSystem().status(of: desk.path(name)).kind == (isLink ? .symbolicLink : .fifo))
      #expect(try String(contentsOfFile: secret.string, encoding: .utf8) == "secret")
      // What was edited is not lost: it is kept on this machine, and only then nothing is unsaved.
      #expect(await document.state == .closed)
      #expect(await !document.hasUnsavedChanges)
      let kept = try #require(try folder.otherVersions(of: FilePath(name)))
      #expect(try kept.map { try folder.contents(of: $0) } == [Array("edited".utf8)])
    }
  }

  @Test func aFolderReplacedByALinkBetweenCheckAndOpenIsRefused() async throws {
    try desk.makeFolder(desk.path("inner"))
    try desk.write("inner/b.txt", "inner")
    let current = try #require(try folder.currentVersion(of: "inner/b.txt"))
    try LinuxFileSystem().rename(desk.path("inner"), to: desk.path("aside"))
    try "outer".write(
      toFile: desk.state.appending("b.txt").string, atomically: false, encoding: .utf8)
    try link("inner", to: desk.state)
    #expect(throws: DocumentFileError.self) { try folder.contents(of: current) }
    await #expect(throws: (any Error).self) {
      try await folder.resolve(current.file, keeping: current)
    }
    #expect(
      try String(contentsOfFile: desk.state.appending("b.txt").string, encoding: .utf8) == "outer")
  }

  @Test func aPlaceForKeptVersionsThatLeadsElsewhereIsRefused() async throws {
    // Somebody has put a link where the versions of a document are to be kept.
    try LinuxFileSystem().makeDirectory(desk.state.appending("versions"), mode: 0o700)
    try LinuxFileSystem().makeDirectory(desk.kept, mode: 0o700)
    try LinuxFileSystem().makeSymbolicLink(desk.kept.appending("a.txt"), to: desk.root)
    let version = try #require(
      try DocumentFolder(
        desk.root, keeping: desk.state.appending("elsewhere"), domain: folder.domain
      ).otherVersions(of: "a.txt")?.first)
    await #expect(throws: DocumentFileError.self) { try await folder.markResolved([version]) }
    #expect(try desk.read(Desk.copy("a")) == "theirs")
  }
}
