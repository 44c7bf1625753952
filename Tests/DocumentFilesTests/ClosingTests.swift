import DocumentFiles
import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// What is written is closed before it has its name, as some file systems want it: D2.
@Suite struct ClosingTests {
  private let desk: Desk
  private let folder: DocumentFolder

  init() throws { (desk, folder) = try Desk.withDocument() }

  /// Which temporary files of the desk this process has open.
  private func openTemporaries() throws -> [String] {
    let files = FileManager.default
    return try files.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { number in
      // One that another test has closed meanwhile is none.
      let path = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
      return path.flatMap { $0.hasPrefix("\(desk.root)/.feedsync-") ? $0 : nil }
    }
  }

  @Test func d2_nobodyHasTheNewFileOpenWhenItGetsItsName() async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try await document.edit { $0 = "new" }
    let (this, heard) = (self, Heard())
    desk.atSteps { heard.note("\($0) \(try this.openTemporaries().count)") }
    try await document.save()
    desk.atSteps(nil)
    #expect(heard.lines.prefix(4) == ["written 1", "synchronized 1", "closed 0", "exchanged 0"])
    #expect(try desk.read("a.txt") == "new")
    try await document.close()
  }

  @Test func d6_aTimeThatTheFileGetsWhenItIsClosedIsNoChangeOfAnotherProgram() async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    let log = EventLog(document)
    let desk = desk
    desk.atSteps { step in
      guard step == .closed else { return }
      // As SMB does.
      for name in try desk.names where name.hasPrefix(".feedsync-") {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
          ofItemAtPath: desk.path(name).string)
      }
    }
    try await document.edit { $0 = "new" }
    try await document.save()
    desk.atSteps(nil)
    try await document.edit { $0 = "newer" }
    await document.look()
    #expect(await document.hasUnsavedChanges)
    #expect(await document.contents == "newer")
    try await document.save()
    #expect(try desk.read("a.txt") == "newer" && desk.names == ["a.txt"])
    try await document.close()
    #expect(await eventually { await log.isOver })
    #expect(await !log.events.contains(.contents))
  }
}
