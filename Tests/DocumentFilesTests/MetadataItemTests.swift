import DocumentFiles
import SystemFiles
import SystemPackage
import Testing

/// What is known of each file: M5, out of names and statuses alone.
@Suite struct MetadataItemTests {
  private let root: FilePath = "/folder"

  private func status(
    _ kind: FileKind = .regular, size: Int64 = 10, inode: UInt64 = 1
  ) -> FileStatus {
    FileStatus(
      kind: kind, size: size, modified: 1_795_900_000_000_000_000, changed: 0,
      inode: inode, device: 1)
  }

  private func entry(
    _ name: String, _ status: FileStatus, allocated: Int64 = 0
  ) throws -> FolderContents.Entry {
    .init(try #require(FilePath.Component(name)), .success(status), allocated: allocated)
  }

  private func items(_ entries: FolderContents.Entry...) -> [MetadataItem] {
    FolderContents(of: "/folder/in", in: root, entries).items
  }

  @Test func m5_aFileThatIsHereIsCurrentAndPublished() throws {
    let item = try #require(items(try entry("a.txt", status())).first)
    #expect(item.relativePath == "in/a.txt" && item.path == "/folder/in/a.txt")
    #expect(item.size == 10 && item.modificationDate?.timeIntervalSince1970 == 1_795_900_000)
    #expect(item.downloadingStatus == .current && item.kind == .document && item.isPublished)
    #expect(!item.isDownloading && !item.hasUnresolvedConflicts && item.error == nil)
  }

  @Test(arguments: [".syncthing.a.txt.tmp", "~syncthing~a.txt.tmp"])
  func m5_aTemporaryFileAloneIsAFileThatIsNotDownloaded(name: String) throws {
    let found = items(try entry(name, status(size: 4000), allocated: 1000))
    let item = try #require(found.first)
    #expect(found.count == 1 && item.relativePath == "in/a.txt")
    #expect(item.downloadingStatus == .notDownloaded && item.isDownloading && !item.isPublished)
    #expect(item.size == nil && item.modificationDate == nil)
    #expect(item.arrival?.downloadedSize == 1000 && item.arrival?.expectedSize == 4000)
    #expect(item.arrival?.percentDownloaded == 25)
  }

  @Test func m5_aTemporaryFileBesideAFileIsANewerOne() throws {
    let found = items(
      try entry("a.txt", status()), try entry(".syncthing.a.txt.tmp", status(), allocated: 4096))
    let item = try #require(found.first)
    #expect(found.count == 1 && item.downloadingStatus == .downloaded && item.size == 10)
    // Where no space was reserved beforehand, nobody knows how much will come.
    #expect(item.arrival?.downloadedSize == 10 && item.arrival?.expectedSize == nil)
    #expect(item.arrival?.percentDownloaded == nil)
  }

  @Test func m5_conflictCopiesAreCountedAndAreItemsOfTheirOwnKind() throws {
    let found = items(
      try entry("a.txt", status()), try entry(Desk.copy("a"), status(size: 3)),
      try entry(Desk.copy("gone"), status(size: 4)))
    #expect(
      found.map(\.relativePath) == [
        "in/\(Desk.copy("a"))", "in/a.txt", "in/\(Desk.copy("gone"))", "in/gone.txt",
      ])
    #expect(found.map(\.kind) == [.conflictCopy, .document, .conflictCopy, .document])
    #expect(found.map(\.conflicts) == [0, 1, 0, 1] && found[1].hasUnresolvedConflicts)
    #expect(found[3].downloadingStatus == .missing && found[3].size == nil)
  }

  @Test func m5_aFileThatCannotBeLookedAtHasAnError() throws {
    let name: FilePath.Component = "a.txt"
    let error = FileError(.status, "/folder/in/a.txt", .permissionDenied)
    let item = try #require(items(.init(name, .failure(error))).first)
    #expect(
      item.error
        == .system(
          operation: "status", path: "/folder/in/a.txt", errno: Errno.permissionDenied.rawValue))
    #expect(item.size == nil && item.downloadingStatus == .current)
  }

  @Test func aFileThatWentWhileTheFolderWasReadIsNoItem() {
    let error = FileError(.status, "/folder/in/a.txt", .noSuchFileOrDirectory)
    #expect(items(.init("a.txt", .failure(error))) == [])
  }

  @Test func whatIsNoFileOfTheUsersIsNoItem() throws {
    let found = items(
      try entry("link", status(.symbolicLink)), try entry("fifo", status(.fifo)),
      try entry(".feedsync-00.nosync", status()), try entry(".syncthing.x.nosync.tmp", status()),
      try entry(".syncthing...tmp", status()), try entry(".syncthing..tmp", status()),
      try entry(".syncthing.link.tmp", status(.symbolicLink)),
      try entry(".syncthing.\(Desk.copy("a")).tmp", status()), try entry(".nfs01", status()),
      try entry("folder", status(.directory)))
    #expect(found == [])
  }

  @Test func foldersAreLookedIntoButForHiddenOnes() throws {
    let contents = FolderContents(
      of: root, in: root,
      [
        try entry("letters", status(.directory)), try entry(".stversions", status(.directory)),
        try entry("own.nosync", status(.directory)), try entry("link", status(.symbolicLink)),
      ])
    #expect(contents.folders.keys.map(\.string) == ["/folder/letters"] && contents.items == [])
  }

  @Test func anotherFolderInTheOldOnesPlaceIsReadAnewAndNothingOfTheOldOneStays() throws {
    var snapshot = FolderSnapshot()
    func put(_ inode: UInt64) throws -> [FilePath] {
      snapshot.put(
        FolderContents(
          of: root, in: root, [try entry("in", status(.directory, inode: inode))]), at: root)
    }
    #expect(try put(1) == ["/folder/in"])
    let inner = FolderContents(of: "/folder/in", in: root, [try entry("a.txt", status())])
    #expect(snapshot.put(inner, at: "/folder/in") == [])
    #expect(try put(1) == [] && snapshot.count == 2)
    #expect(try put(2) == ["/folder/in"] && snapshot.count == 1)
    #expect(snapshot.folders["/folder/in"] == nil)
  }
}
