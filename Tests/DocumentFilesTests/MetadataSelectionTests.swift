import DocumentFiles
import Foundation
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// Which files are shown, in which order, and how one result leads to the next: pure values.
@Suite struct MetadataSelectionTests {
  private let root: FilePath = "/folder"

  /// Files by their paths, with sizes; a file's time is its size, in seconds.
  private func snapshot(_ files: [String: Int64]) throws -> FolderSnapshot {
    var folders: [FilePath: [FolderContents.Entry]] = [root: []]
    for (name, size) in files {
      let path = root.appending(name)
      folders[path.removingLastComponent(), default: []].append(
        .init(
          try #require(path.lastComponent),
          .success(
            FileStatus(
              kind: .regular, size: size, modified: size * 1_000_000_000, changed: 0, inode: 1,
              device: 1)), allocated: size))
    }
    var snapshot = FolderSnapshot()
    for (path, entries) in folders {
      _ = snapshot.put(FolderContents(of: path, in: root, entries), at: path)
    }
    return snapshot
  }

  private func shown(
    _ predicate: MetadataPredicate, order: [MetadataOrder] = [], scope: MetadataScope = .documents
  ) throws -> [String] {
    let files: [String: Int64] = [
      "b.txt": 1, "a.md": 20, "in/c.txt": 300, "in/deep/d.txt": 4000, "inner.txt": 5,
      Desk.copy("b"): 6, ".syncthing.e.txt.tmp": 7,
    ]
    return MetadataSelection(predicate: predicate, order: order, scope: scope)
      .view(of: try snapshot(files)).items.map(\.relativePath)
  }

  @Test func predicatesAreAboutWhatIsKnownOfAFile() throws {
    let all = ["a.md", "b.txt", "e.txt", "in/c.txt", "in/deep/d.txt", "inner.txt"]
    #expect(try shown(.everything) == all)
    #expect(try shown(.name("*.md")) == ["a.md"])
    #expect(try shown(.name("in/*")) == ["in/c.txt"])
    #expect(try shown(.name("in/**")) == ["in/c.txt", "in/deep/d.txt"])
    #expect(try shown(.inFolder("in")) == ["in/c.txt", "in/deep/d.txt"])
    #expect(try shown(.inFolder("./in/deep/")) == ["in/deep/d.txt"])
    #expect(try shown(.status(.notDownloaded)) == ["e.txt"])
    #expect(try shown(.isDownloading) == ["e.txt"])
    #expect(try shown(.hasUnresolvedConflicts) == ["b.txt"])
    #expect(try shown(.largerThan(20)) == ["in/c.txt", "in/deep/d.txt"])
    #expect(try shown(.smallerThan(5)) == ["b.txt"])
    #expect(try shown(.modifiedAfter(Date(timeIntervalSince1970: 300))) == ["in/deep/d.txt"])
    #expect(try shown(.modifiedBefore(Date(timeIntervalSince1970: 5))) == ["b.txt"])
    #expect(try shown(.all(of: [.name("*.txt"), .not(.inFolder("in"))])).count == 3)
    #expect(try shown(.any(of: [.name("a*"), .hasUnresolvedConflicts])) == ["a.md", "b.txt"])
    #expect(try shown(.hasError) == [])
    let copies = try shown(.everything, scope: .documentsAndConflictCopies)
    #expect(copies.count == 7 && copies.contains(Desk.copy("b")))
    #expect(
      try shown(.kind(.conflictCopy), scope: .documentsAndConflictCopies) == [Desk.copy("b")])
  }

  @Test func theOrderIsThatOfAttributesAndPathsDecideAmongEquals() throws {
    let size = try shown(.everything, order: [MetadataOrder(.size, descending: true)])
    #expect(size == ["in/deep/d.txt", "in/c.txt", "a.md", "inner.txt", "b.txt", "e.txt"])
    #expect(try shown(.everything, order: [MetadataOrder(.modified)]).first == "e.txt")
    #expect(
      try shown(.everything, order: [MetadataOrder(.status), MetadataOrder(.name)]) == [
        "e.txt", "a.md", "b.txt", "in/c.txt", "in/deep/d.txt", "inner.txt",
      ])
    let conflicts = try shown(
      .everything, order: [MetadataOrder(.conflicts, descending: true)])
    #expect(conflicts.prefix(2) == ["b.txt", "a.md"])
    #expect(try shown(.everything, order: [MetadataOrder(.path, descending: true)]).last == "a.md")
  }

  @Test(
    arguments: [
      ("*", "a.txt", true), ("*", "in/a.txt", false), ("**", "in/a.txt", true),
      ("a?c", "abc", true), ("a?c", "a/c", false), ("?", "ä", true), ("[a-c]x", "bx", true),
      ("[!a-c]x", "bx", false), ("[!a-c]x", "dx", true), ("[]]", "]", true), ("[ab", "[ab", true),
      ("\\*", "*", true), ("\\*", "x", false), ("*.txt", "a.txt.md", false), ("", "", true),
      ("a*b*c", "axxbxxc", true), ("a*b*c", "axxbxx", false), ("**/x", "a/b/x", true),
      ("[z-a]", "z", true), ("A", "a", false),
    ])
  func aPatternIsAsAShellHasIt(pattern: String, text: String, isMatch: Bool) {
    #expect(NamePattern(pattern).matches(text) == isMatch)
  }

  @Test func aPatternOfManyStarsTakesNoTimeWithoutEnd() {
    let pattern = NamePattern(String(repeating: "*a", count: 60) + "b")
    #expect(!pattern.matches(String(repeating: "a", count: 250)))
  }

  @Test func removedChangedAndAddedMakeTheNewListOutOfTheOldOne() throws {
    var random = SeededGenerator(seed: 7)
    var before = MetadataView.empty
    for _ in 0..<200 {
      var files: [String: Int64] = [:]
      for name in ["a", "b", "c", "d", "in/e", "in/f"] where Bool.random(using: &random) {
        files[name] = Int64.random(in: 0...3, using: &random)
      }
      let order = [MetadataOrder(.size, descending: true)]
      let after = MetadataSelection(order: order).view(of: try snapshot(files))
      let result = after.result(after: before)
      let gone = Set(result.removed.map(\.path) + result.changed.map(\.item.path))
      var list = before.items.filter { !gone.contains($0.path) }
      for placed in (result.added + result.changed).sorted(by: { $0.position < $1.position }) {
        list.insert(placed.item, at: placed.position)
      }
      #expect(list == after.items && result.items == after.items)
      #expect(before != after || result.added.isEmpty && result.removed.isEmpty)
      before = after
    }
  }
}
