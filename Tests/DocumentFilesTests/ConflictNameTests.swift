import SharedFolder
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// Names of conflict copies as syncers give them, and as nobody should.
@Suite struct ConflictNameTests {
  private struct Known {
    let name: String
    let original: String
    let savedBy: String?
  }

  private static let known: [Known] = [
    // Syncthing; a name that begins with a dot is all extension, and older ones had no device.
    Known(
      name: "a.sync-conflict-20260131-101500-ABCDEFG.txt", original: "a.txt", savedBy: "ABCDEFG"),
    Known(name: "a.tar.sync-conflict-20260131-101500-AB.gz", original: "a.tar.gz", savedBy: "AB"),
    Known(name: "a.sync-conflict-20260131-101500", original: "a", savedBy: nil),
    Known(
      name: ".sync-conflict-20260131-101500-ABCDEFG.bashrc", original: ".bashrc", savedBy: "ABCDEFG"
    ),
    // Dropbox, in several languages, numbered, with an owner of several words.
    Known(name: "a (Ann's conflicted copy 2026-01-31).txt", original: "a.txt", savedBy: "Ann"),
    Known(
      name: "a b (Ann Lee's Mac's conflicted copy 2026-01-31 (2)).txt", original: "a b.txt",
      savedBy: "Ann Lee's Mac"),
    Known(name: "a (Ann’s conflicted copy 2026-01-31)", original: "a", savedBy: "Ann"),
    Known(name: "a (conflicted copy 2026-01-31).md", original: "a.md", savedBy: nil),
    Known(name: "a (Copie en conflit de PC-1 2016-12-29).js", original: "a.js", savedBy: "PC-1"),
    Known(
      name: "a (in Konflikt stehende Kopie von Anwalt 2026-08-30)", original: "a", savedBy: "Anwalt"
    ),
    Known(
      name: "a (Rebekka Schneiders in Konflikt stehende Kopie 2017-01-18).xls", original: "a.xls",
      savedBy: "Rebekka Schneider"),
    Known(name: "a (Copia en conflicto de eva 2020-02-29).c", original: "a.c", savedBy: "eva"),
    Known(name: "a (desk の競合コピー 2026-08-31).txt", original: "a.txt", savedBy: "desk"),
    // Nextcloud and its relatives.
    Known(name: "a (conflicted copy 2026-01-31 101500).txt", original: "a.txt", savedBy: nil),
    Known(name: "a (conflicted copy ann 2026-01-31 101500).txt", original: "a.txt", savedBy: "ann"),
    Known(name: "a_conflict-20160131-101500.txt", original: "a.txt", savedBy: nil),
  ]

  @Test func v2_aNameTellsTheFileTheTimeAndWhoseItIs() throws {
    for known in Self.known {
      let copy = try #require(ConflictCopy(known.name), "\(known.name)")
      #expect(copy.original.string == known.original, "\(known.name)")
      #expect(copy.savedBy == known.savedBy, "\(known.name)")
      #expect(copy.document == copy.original)
    }
    let copy = try #require(ConflictCopy("a.sync-conflict-20260131-101559-ABCDEFG.txt"))
    #expect([copy.moment.year, copy.moment.month, copy.moment.day] == [2026, 1, 31])
    #expect(copy.moment.time == [10, 15, 59] && copy.syncer == .syncthing)
  }

  @Test func aCopyOfACopyIsAVersionOfTheFirstFile() throws {
    let inner = "a.sync-conflict-20260131-101500-ABCDEFG"
    let names = [
      "\(inner).sync-conflict-20260201-000000-HIJKLMN.txt": "\(inner).txt",
      "\(inner) (Ann's conflicted copy 2026-02-01).txt": "\(inner).txt",
      "a (conflicted copy 2026-01-31 101500).sync-conflict-20260201-000000-HIJKLMN.txt":
        "a (conflicted copy 2026-01-31 101500).txt",
      "a (Ann's conflicted copy 2026-01-31) (Bob's conflicted copy 2026-02-01).txt":
        "a (Ann's conflicted copy 2026-01-31).txt",
    ]
    for (name, original) in names {
      let copy = try #require(ConflictCopy(name), "\(name)")
      #expect(copy.original.string == original)
      #expect(copy.document.string == "a.txt")
    }
  }

  @Test func otherNamesAreFilesOfTheirOwn() {
    for name in [
      "a.txt", "a (copy).txt", "a (1).txt", "conflicted copy.txt", "a (2026-01-31).txt",
      // Dates and times that no calendar has.
      "a.sync-conflict-20261301-101500-ABCDEFG.txt", "a.sync-conflict-20260100-101500-AB.txt",
      "a.sync-conflict-20260131-241500-ABCDEFG.txt", "a.sync-conflict-2026013-101500-AB.txt",
      "a (Ann's conflicted copy 2026-02-32).txt", "a (conflicted copy 2026-01-31 250000).txt",
      // A backup that somebody made of a conflict copy.
      "a.sync-conflict-20260131-101500-ABCDEFG.txt.bak",
      "a (Ann's conflicted copy 2026-01-31).txt~.b",
      // What Dropbox calls conflicts, and are no versions.
      "a (Case Conflict).txt", "a (Selective Sync Conflict).txt",
      "a (Unicode Encoding Conflict 1).t",
    ] {
      #expect(ConflictCopy(name) == nil, "\(name)")
    }
  }

  @Test func aMarkAroundNothingNamesNoFile() {
    for name in [
      ".sync-conflict-20260131-101500-ABCDEFG", "..sync-conflict-20260131-101500-ABCDEFG.",
      ".sync-conflict-20260131-101500-ABCDEFG.", " (conflicted copy 2026-01-31 101500)",
      ". (conflicted copy 2026-01-31 101500).", "_conflict-20260131-101500",
      ".sync-conflict-", "(", ")", " (", " ()", "((((((", ")(", " (conflicted copy", ".", "..", "",
    ] {
      #expect(ConflictCopy(name) == nil, "\(name)")
    }
  }

  @Test func namesThatAreNotUTF8KeepTheirBytes() throws {
    let bytes: [UInt8] =
      [0xFF, 0xFE] + Array(".sync-conflict-20260131-101500-ABCDEFG.".utf8) + [0xC3]
    let name = try #require(FilePath.Component(bytes: bytes))
    #expect(ConflictCopy(name)?.original.bytes == [0xFF, 0xFE, 0x2E, 0xC3])
    let words: [UInt8] =
      Array("a (".utf8) + [0xFF] + Array("'s conflicted copy 2026-01-31).txt".utf8)
    #expect(ConflictCopy(try #require(FilePath.Component(bytes: words))) == nil)
  }

  @Test func randomPiecesOfMarksNeitherTrapNorLeadOut() throws {
    var chance = SeededGenerator(seed: 26)
    let pieces = [
      ".sync-conflict-", "20260131-101500", "-ABCDEFG", ".txt", " (", "conflicted copy ", "Ann's ",
      "2026-01-31", " 101500", ")", "(1)", "_conflict-", ".", "..", "é", " ", "a", "\u{1F600}",
    ]
    for _ in 0..<3_000 {
      let text = (0..<chance.below(12)).map { _ in pieces[chance.below(pieces.count)] }.joined()
      guard text.utf8.count < 256, let name = FilePath.Component(text),
        let copy = ConflictCopy(name)
      else { continue }
      for part in [copy.original, copy.document] {
        #expect(part.kind == .regular && part.bytes.count < name.bytes.count, "\(text)")
      }
      #expect(ConflictCopy(copy.document) == nil, "\(text)")
    }
  }

  @Test func v5_aNameThatIsMadeIsReadAsItIsMeant() throws {
    let moment = try #require(
      ConflictCopy.Moment(year: 2026, month: 1, day: 31, hour: 9, minute: 5, second: 7))
    for (document, name) in [
      "a.txt": "a.sync-conflict-20260131-090507-mydesk_1.txt",
      ".bashrc": ".sync-conflict-20260131-090507-mydesk_1.bashrc",
      "a": "a.sync-conflict-20260131-090507-mydesk_1",
    ] {
      let component = try #require(FilePath.Component(document))
      let made = try #require(ConflictCopy.name(of: component, moment, savedBy: "my-desk_1"))
      #expect(made.string == name)
      #expect(ConflictCopy(made)?.document == component && ConflictCopy(made)?.moment == moment)
    }
    let long = try #require(FilePath.Component(String(repeating: "a", count: 250)))
    #expect(ConflictCopy.name(of: long, moment, savedBy: "desk") == nil)
  }
}
