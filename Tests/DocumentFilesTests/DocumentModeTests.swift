import DocumentFiles
import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// Who may read a document may read its versions, and nobody else, not for a moment either: D2, V4.
@Suite struct DocumentModeTests {
  private let desk: Desk
  private let folder: DocumentFolder

  init() throws { (desk, folder) = try Desk.withDocument() }

  private func setMode(_ mode: UInt32, _ name: String) {
    #expect(chmod(desk.path(name).string, mode) == 0)
  }

  private func mode(_ name: String) throws -> UInt32 {
    try LinuxFileSystem().status(of: desk.path(name)).mode
  }

  /// Notes the modes of temporary files at a step of writing them.
  private func noteModes(at expected: DocumentAmbient.Step = .written) -> Heard {
    let (desk, heard) = (desk, Heard())
    desk.atSteps { step in
      guard step == expected else { return }
      for name in try desk.names where name.hasPrefix(".feedsync-") {
        let mode = try LinuxFileSystem().status(of: desk.path(name)).mode
        heard.note(String(mode, radix: 8))
      }
    }
    return heard
  }

  @Test(arguments: [0o600, 0o640, 0o604, 0o755] as [UInt32])
  func d2_onlyTheUserCanOpenWhatIsBeingWritten(_ mode: UInt32) async throws {
    setMode(mode, "a.txt")
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    let heard = noteModes()
    try await document.edit { $0 = "new" }
    try await document.save()
    #expect(heard.lines == ["600"])
    #expect(try self.mode("a.txt") == mode && desk.read("a.txt") == "new")
    try await document.close()
  }

  @Test func d2_whatTakesTheFilesPlaceMeanwhileDoesNotOpenItToOthers() async throws {
    setMode(0o600, "a.txt")
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try await document.edit { $0 = "edited" }
    try desk.write("a.txt", "a syncer's, for all")
    setMode(0o666, "a.txt")
    let heard = noteModes(at: .synchronized)
    await #expect(throws: DocumentFileError.changedMeanwhile(path: desk.path("a.txt").string)) {
      try await document.save()
    }
    // The save wrote nothing; they are set aside beside it, as readable as the document is.
    #expect(heard.lines == ["666"])
    try await document.close()
  }

  @Test func d10_editsThatAreSetAsideHaveTheDocumentsMode() async throws {
    setMode(0o600, "a.txt")
    let heard = noteModes()
    let added = try await folder.addConflict(Array("mine".utf8), of: "a.txt")
    #expect(heard.lines == ["600"])
    #expect(try mode(added.persistentIdentifier) == 0o600)
    setMode(0o640, "a.txt")
    let another = try await folder.addConflict(Array("mine".utf8), of: "a.txt")
    #expect(try mode(another.persistentIdentifier) == 0o640)
    // Nobody says who may read what belongs to a document that is gone.
    try desk.remove("a.txt")
    let last = try await folder.addConflict(Array("mine".utf8), of: "a.txt")
    #expect(try mode(last.persistentIdentifier) == 0o600)
  }

  @Test func v4_aVersionThatBringsADocumentBackHasItsOwnMode() async throws {
    let copy = Desk.copy("a")
    try desk.write(copy, "theirs")
    setMode(0o640, copy)
    try desk.remove("a.txt")
    let version = try #require(try folder.otherVersions(of: "a.txt")?.first)
    try await folder.replace("a.txt", with: version)
    #expect(try mode("a.txt") == 0o640)
    // What is kept on this machine is for its user alone, and so is what it brings back.
    try await folder.markResolved([version])
    try desk.remove("a.txt")
    let kept = try #require(try folder.otherVersions(of: "a.txt")?.first)
    let heard = noteModes()
    try await folder.replace("a.txt", with: kept)
    #expect(try mode("a.txt") == 0o600 && desk.read("a.txt") == "theirs")
    #expect(heard.lines == ["600"])
  }

  @Test func v4_whatIsMergedOfVersionsAloneIsForThoseWhoMayReadThemAll() async throws {
    let merged = Array("both".utf8)
    for (modes, expected) in [([0o644], 0o644), ([0o640, 0o604], 0o600), ([], 0o600)] {
      try desk.remove("a.txt")
      for (index, mode) in modes.enumerated() {
        let copy = Desk.copy("a", time: "10150\(index)")
        try desk.write(copy, "theirs")
        setMode(UInt32(mode), copy)
      }
      // In the end there is only what is kept on this machine.
      #expect(try await folder.resolve("a.txt", merged: merged) == modes.count)
      #expect(try mode("a.txt") == UInt32(expected) && desk.names == ["a.txt"])
    }
  }

  /// Only the superuser can give files to groups that he need not be in.
  @Test(.enabled(if: geteuid() == 0))
  func d2_whatTheGroupMayDoIsForTheSameGroup() async throws {
    func setGroup(_ group: UInt32, _ name: String) {
      #expect(chown(desk.path(name).string, .max, group) == 0)
    }
    func group(_ name: String) throws -> UInt32 {
      try LinuxFileSystem().status(of: desk.path(name)).group
    }
    setMode(0o640, "a.txt")
    setGroup(4711, "a.txt")
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try await document.edit { $0 = "new" }
    try await document.save()
    try await document.close()
    #expect(try mode("a.txt") == 0o640 && group("a.txt") == 4711)
    let added = try await folder.addConflict(Array("mine".utf8), of: "a.txt")
    #expect(try group(added.persistentIdentifier) == 4711)
    try await folder.resolve("a.txt", merged: Array("both".utf8))
    #expect(try mode("a.txt") == 0o640 && group("a.txt") == 4711)
    // Of what is made of files of two groups, neither gets what the other's members alone may see.
    let modes: [(UInt32, UInt32)] = [(0o640, 0o600), (0o664, 0o644), (0o604, 0o600)]
    for (mode, expected) in modes {
      try desk.remove("a.txt")
      for group in [4711, 4712] as [UInt32] {
        let copy = Desk.copy("a", time: "10\(group)")
        try desk.write(copy, "theirs")
        setMode(mode, copy)
        setGroup(group, copy)
      }
      try await folder.resolve("a.txt", merged: Array("all".utf8))
      #expect(try self.mode("a.txt") == expected)
    }
  }

  /// Whether the file system of temporary files has access lists (acl(5)).
  private static let hasLists: Bool = {
    guard let desk = try? Desk(), (try? desk.write("a.txt", "")) != nil else { return false }
    return setList(desk.path("a.txt"), another: 4, group: 0, most: 4, others: 0)
  }()

  /// Says what one more user, the group and all others may do with a file, and what anybody but its
  /// user and the others may at most; false where there are no such lists.
  private static func setList(
    _ file: FilePath, another: UInt8, group: UInt8, most: UInt8, others: UInt8
  ) -> Bool {
    typealias Function =
      @convention(c) (
        UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer?, Int, Int32
      ) -> Int32
    guard let symbol = dlsym(nil, "setxattr") else { return false }
    let call = unsafeBitCast(symbol, to: Function.self)
    // Version 2; then tag, permissions and id: the user, user 4711, the group, the mask, others.
    let nobody: [UInt8] = [255, 255, 255, 255]
    let list: [UInt8] =
      [2, 0, 0, 0] + [1, 0, 6, 0] + nobody + [2, 0, another, 0, 0x67, 0x12, 0, 0]
      + [4, 0, group, 0] + nobody + [0x10, 0, most, 0] + nobody + [0x20, 0, others, 0] + nobody
    return call(file.string, "system.posix_acl_access", list, list.count, 0) == 0
  }

  @Test(.enabled(if: DocumentModeTests.hasLists, "no access lists here"))
  func d2_whatOneMoreUserMayReadIsNotForTheWholeGroup() async throws {
    setMode(0o600, "a.txt")
    try #require(Self.setList(desk.path("a.txt"), another: 4, group: 0, most: 4, others: 0))
    // So it shows, although the group may do nothing.
    #expect(try mode("a.txt") == 0o640)
    let added = try await folder.addConflict(Array("mine".utf8), of: "a.txt")
    #expect(try mode(added.persistentIdentifier) == 0o600)
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try await document.edit { $0 = "new" }
    try await document.save()
    try await document.close()
    #expect(try mode("a.txt") == 0o600 && desk.read("a.txt") == "new")
  }

  @Test(.enabled(if: DocumentModeTests.hasLists, "no access lists here"))
  func d2_whomAListKeepsOutIsNotLetInWithAllOthers() async throws {
    for (another, group) in [(0, 4), (4, 0), (4, 4)] as [(UInt8, UInt8)] {
      let file = desk.path("a.txt")
      try #require(Self.setList(file, another: another, group: group, most: 4, others: 4))
      #expect(try mode("a.txt") == 0o644)
      let added = try await folder.addConflict(Array("mine".utf8), of: "a.txt")
      let expected: UInt32 = another == group ? 0o644 : 0o600
      #expect(try mode(added.persistentIdentifier) == expected)
    }
  }

  @Test func d2_aNewDocumentHasTheModeOfAnyNewFile() async throws {
    let descriptor = open(desk.path("new").string, O_CREAT | O_WRONLY, 0o666)
    #expect(descriptor >= 0 && Glibc.close(descriptor) == 0)
    let document = try await DocumentFile.create("b.txt", "mine", in: folder)
    #expect(try mode("b.txt") == mode("new"))
    try await document.close()
  }
}
