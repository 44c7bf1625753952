import DocumentFiles
import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// A file that looks as if another had its place, and has what it had: D3, D10.
@Suite struct SameContentsTests {
  private let desk: Desk
  private let folder: DocumentFolder

  init() throws { (desk, folder) = try Desk.withDocument() }

  // MARK: What is decided

  private static func stamp(_ number: UInt64) -> FileStamp {
    FileStamp(
      FileStatus(
        kind: .regular, size: Int64(number), modified: 0, changed: 0, inode: number, device: 1))
  }

  private let first = stamp(1)
  private let second = stamp(2)
  private let third = stamp(3)

  /// A machine of a document with an edit.
  private func edited() -> DocumentMachine {
    var machine = DocumentMachine()
    _ = machine.input(.opened(first, hasConflicts: false))
    _ = machine.input(.edited(at: .zero))
    return machine
  }

  @Test func d10_itIsExpectedFromThenOn() {
    var machine = edited()
    #expect(machine.input(.looked(second, hasConflicts: false)) == [.compare])
    // Not what was looked at, but what was read.
    #expect(machine.input(.sameContents(third, hasConflicts: false)).isEmpty)
    #expect(machine.state == .normal && machine.hasUnsavedChanges)
    #expect(machine.input(.woke(at: .seconds(2))) == [.save(expecting: third)])
  }

  @Test func d3_whoeverSavesOrClosesGoesOnWithIt() {
    for isClosing in [false, true] {
      var machine = edited()
      #expect(
        machine.input(isClosing ? .closeAsked : .saveAsked) == [.save(expecting: first)])
      #expect(machine.input(.looked(second, hasConflicts: false)) == [.compare])
      // What is edited meanwhile is saved with it.
      _ = machine.input(.edited(at: .seconds(1)))
      #expect(
        machine.input(.sameContents(second, hasConflicts: false)) == [.save(expecting: second)])
      #expect(
        machine.input(.saved(third, isDurable: true))
          == (isClosing ? [.show(.closed), .end(.asked)] : []))
      #expect(!machine.hasUnsavedChanges)
    }
  }

  @Test func d10_editsAreSetAsideWhereItLooksLikeAnotherEachTime() {
    var machine = edited()
    #expect(machine.input(.saveAsked) == [.save(expecting: first)])
    for number in 2...4 as ClosedRange<UInt64> {
      let found = Self.stamp(number)
      #expect(machine.input(.looked(found, hasConflicts: false)) == [.compare])
      #expect(
        machine.input(.sameContents(found, hasConflicts: false)) == [.save(expecting: found)])
    }
    #expect(
      machine.input(.looked(Self.stamp(5), hasConflicts: false)) == [
        .show(.editingDisabled), .setAside,
      ])
  }

  @Test func d5_aConflictThatCameWithItShows() {
    var machine = edited()
    _ = machine.input(.looked(second, hasConflicts: true))
    _ = machine.input(.sameContents(second, hasConflicts: true))
    #expect(machine.state == .inConflict && machine.hasUnsavedChanges)
  }

  // MARK: What is done

  private enum Change: CaseIterable { case time, file }

  /// Has the file look like another, with the contents that it has.
  private func change(_ change: Change) throws {
    switch change {
    case .time:
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
        ofItemAtPath: desk.path("a.txt").string)
    // As on a file system that was mounted anew.
    case .file: try desk.write("a.txt", try desk.read("a.txt"))
    }
  }

  @Test func d10_editsAreNoConflictWithIt() async throws {
    for change in Change.allCases {
      let document = try await DocumentFile<String>.open("a.txt", in: folder)
      let log = EventLog(document)
      let before = await document.contents
      try await document.edit { $0 += ", edited" }
      try self.change(change)
      await document.look()
      #expect(await document.hasUnsavedChanges)
      // It is found by saving, too, and after a save.
      for text in ["saved", "saved again"] {
        try self.change(change)
        try await document.edit { $0 = "\(before), \(text)" }
        try await document.save()
        #expect(try desk.read("a.txt") == "\(before), \(text)")
      }
      try await document.edit { $0 = before }
      try self.change(change)
      try await document.close()
      #expect(try desk.read("a.txt") == before && desk.names == ["a.txt"])
      #expect(await eventually { await log.isOver })
      #expect(await !log.events.contains(.contents))
    }
    #expect(try folder.otherVersions(of: "a.txt") == [])
  }

  @Test func d10_aNewerFileOfTheSameSizeIsAConflict() async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try await document.edit { $0 = "edited" }
    try desk.write("a.txt", "new")
    await #expect(throws: DocumentFileError.changedMeanwhile(path: desk.path("a.txt").string)) {
      try await document.save()
    }
    #expect(await document.contents == "new")
    let version = try #require(try folder.unresolvedConflictVersions(of: "a.txt")?.first)
    #expect(try folder.contents(of: version) == Array("edited".utf8))
    #expect(try desk.read("a.txt") == "new")
    try await document.close()
  }
}
