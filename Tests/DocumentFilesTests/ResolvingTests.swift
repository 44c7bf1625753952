import DocumentFiles
import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// What is done with versions: V3, V4, V5, V6.
///
/// Nothing is lost that was not to be deleted.
@Suite struct ResolvingTests {
  private let desk: Desk
  private let folder: DocumentFolder
  private let copy = Desk.copy("a")

  init() throws {
    desk = try Desk()
    folder = try desk.folder()
    try desk.write("a.txt", "mine")
    try desk.write(Desk.copy("a"), "theirs")
  }

  private func conflict() throws -> FileVersion {
    try #require(try folder.unresolvedConflictVersions(of: "a.txt")?.first)
  }

  /// The contents of all versions that are not current.
  private func others() throws -> Set<String> {
    Set(
      try (folder.otherVersions(of: "a.txt") ?? []).map {
        String(decoding: try folder.contents(of: $0), as: UTF8.self)
      })
  }

  @Test func v3_aResolvedVersionIsNoLongerOfferedAndStaysResolved() async throws {
    let version = try conflict()
    try await folder.markResolved([version])
    #expect(try folder.unresolvedConflictVersions(of: "a.txt") == [])
    // It left the synced folder, so that it is resolved wherever the syncer comes to.
    #expect(try desk.names == ["a.txt"])
    let kept = try #require(try folder.otherVersions(of: "a.txt")?.first)
    #expect(kept.isResolved && kept.isConflict && kept.origin == .kept)
    #expect(kept.localizedNameOfSavingComputer == "ABCDEFG")
    #expect(
      abs(kept.modificationDate.timeIntervalSince(version.modificationDate)) < 0.001)
    #expect(try others() == ["theirs"])
    // Marked once more, it is what it was; and there is no way back.
    try await folder.markResolved([kept])
    #expect(try folder.otherVersions(of: "a.txt") == [kept])
    await #expect(throws: DocumentFileError.self) { try await folder.markResolved([version]) }
  }

  @Test(arguments: [false, true])
  func v5_whatIsDoneDoesNotFailSinceNobodyCanBeTold(isRemoved: Bool) async throws {
    let domain = try desk.domain()
    // A number is needed when the turn has come, and nothing is done yet.
    let alone = try desk.folder(domain) { ambient in
      let random = ambient.random
      ambient.random = {
        domain.close()
        return random()
      }
    }
    let version = try conflict()
    if isRemoved {
      try await alone.remove(version)
    } else {
      try await alone.markResolved([version])
    }
    #expect(try folder.unresolvedConflictVersions(of: "a.txt") == [])
    #expect(try others() == (isRemoved ? [] : ["theirs"]))
  }

  @Test func v3_theCurrentVersionCannotBeMarkedAsResolved() async throws {
    let current = try #require(try folder.currentVersion(of: "a.txt"))
    await #expect(throws: DocumentFileError.isCurrent(path: current.path.string)) {
      try await folder.markResolved([current])
    }
    #expect(try desk.names == [copy, "a.txt"].sorted())
  }

  @Test func v3_anotherConflictOfTheSameNameIsOfferedAnew() async throws {
    try await folder.markResolved([try conflict()])
    try desk.write(copy, "later")
    #expect(try folder.unresolvedConflictVersions(of: "a.txt")?.count == 1)
    #expect(try others() == ["theirs", "later"])
  }

  @Test func v4_aVersionTakesTheDocumentsPlaceAndWhatWasThereIsKept() async throws {
    #expect(chmod(desk.path("a.txt").string, 0o640) == 0)
    try await folder.replace("a.txt", with: try conflict())
    #expect(try desk.read("a.txt") == "theirs")
    #expect(try LinuxFileSystem().status(of: desk.path("a.txt")).mode == 0o640)
    #expect(try others() == ["theirs", "mine"])
    // And back.
    let kept = try #require(try folder.otherVersions(of: "a.txt")?.first { $0.origin == .kept })
    try await folder.replace("a.txt", with: kept)
    #expect(try desk.read("a.txt") == "mine")
    #expect(try desk.names == [copy, "a.txt"].sorted())
    // The current version in its own place is nothing new.
    try await folder.replace("a.txt", with: try #require(try folder.currentVersion(of: "a.txt")))
  }

  @Test func v4_aVersionBringsBackADocumentThatIsGone() async throws {
    let version = try conflict()
    try desk.remove("a.txt")
    try await folder.replace("a.txt", with: version)
    #expect(try desk.read("a.txt") == "theirs")
  }

  @Test func v4_aVersionIsDeletedAndTheCurrentOneNever() async throws {
    let current = try #require(try folder.currentVersion(of: "a.txt"))
    await #expect(throws: DocumentFileError.isCurrent(path: current.path.string)) {
      try await folder.remove(current)
    }
    try await folder.remove(try conflict())
    #expect(try desk.names == ["a.txt"] && folder.otherVersions(of: "a.txt") == [])
  }

  @Test func v4_allOtherVersionsAreDeletedAtOnceAndOnlyWhereThereIsACurrentOne() async throws {
    try desk.write(Desk.copy("a", time: "111500"), "another")
    try await folder.replace("a.txt", with: try conflict())
    #expect(try folder.otherVersions(of: "a.txt")?.count == 3)
    try await folder.removeOtherVersions(of: "a.txt")
    #expect(try folder.otherVersions(of: "a.txt") == [] && desk.names == ["a.txt"])
    try desk.write(copy, "theirs")
    try desk.remove("a.txt")
    await #expect(throws: DocumentFileError.notFound(path: desk.path("a.txt").string)) {
      try await folder.removeOtherVersions(of: "a.txt")
    }
    #expect(try desk.names == [copy])
  }

  @Test func v4_whatChangedSinceItWasListedIsLeftAlone() async throws {
    let (version, current) = (try conflict(), try folder.currentVersion(of: "a.txt"))
    try desk.write(copy, "rewritten by its owner")
    await #expect(throws: DocumentFileError.self) { try await folder.remove(version) }
    await #expect(throws: DocumentFileError.self) { try await folder.markResolved([version]) }
    await #expect(throws: DocumentFileError.self) {
      try await folder.replace("a.txt", with: version)
    }
    try desk.write("a.txt", "newer")
    await #expect(throws: DocumentFileError.changedMeanwhile(path: desk.path("a.txt").string)) {
      try await folder.replace("a.txt", with: try conflict(), expecting: SeenVersion(current))
    }
    await #expect(throws: DocumentFileError.self) {
      try await folder.resolve("a.txt", keeping: try #require(current))
    }
    #expect(try desk.read("a.txt") == "newer" && desk.read(copy) == "rewritten by its owner")
    #expect(try others() == ["rewritten by its owner"])
    #expect(try desk.names == [copy, "a.txt"].sorted())
  }

  @Test func v4_aCopyThatIsRewrittenWhileItIsRemovedIsPutBack() async throws {
    let (desk, copy) = (desk, copy)
    let version = try conflict()
    for isResolving in [false, true] {
      // Its owner writes into it after it was looked at, through a descriptor that he has.
      let file = try FileHandle(forWritingTo: URL(filePath: desk.path(copy).string))
      desk.atSteps { step in
        guard step == .setAside else { return }
        try file.seekToEnd()
        try file.write(contentsOf: Data(" and more".utf8))
      }
      let stale = isResolving ? try conflict() : version
      await #expect(throws: DocumentFileError.self) {
        if isResolving {
          try await folder.markResolved([stale])
        } else {
          try await folder.remove(stale)
        }
      }
      desk.atSteps(nil)
      #expect(try desk.read(copy).hasSuffix(" and more"))
      #expect(try desk.names == [copy, "a.txt"].sorted())
    }
  }

  /// A program that appends to a large file for minutes, while somebody tries again and again.
  @Test(arguments: [DocumentAmbient.Step.written, .exchanged])
  func v6_whatSomebodyWritesIntoIsNotKeptByEachAttempt(step: DocumentAmbient.Step) async throws {
    let (desk, copy) = (desk, copy)
    let file = try FileHandle(forWritingTo: URL(filePath: desk.path("a.txt").string))
    desk.atSteps { made in
      guard made == step else { return }
      try file.seekToEnd()
      try file.write(contentsOf: Data(" and more".utf8))
    }
    for _ in 1...3 {
      await #expect(throws: DocumentFileError.changedMeanwhile(path: desk.path("a.txt").string)) {
        try await folder.resolve("a.txt", keeping: try conflict())
      }
    }
    desk.atSteps(nil)
    #expect(try others() == ["theirs"])
    #expect(try desk.read("a.txt") == "mine and more and more and more")
    #expect(try desk.names == [copy, "a.txt"].sorted())
    try await folder.resolve("a.txt", keeping: try conflict())
    #expect(try others() == ["mine and more and more and more"])
  }

  @Test func v6_norIsHalfOfItThatWasThereWhileItWasCopied() async throws {
    let path = URL(filePath: desk.path("a.txt").string)
    let adapted = try desk.folder { ambient in
      let random = ambient.random
      ambient.random = {
        // Whoever keeps a version takes a number before he copies it.
        let file = try? FileHandle(forWritingTo: path)
        _ = try? file?.seekToEnd()
        try? file?.write(contentsOf: Data(" and more".utf8))
        return random()
      }
    }
    let chosen = try conflict()
    await #expect(throws: DocumentFileError.self) {
      try await adapted.resolve("a.txt", keeping: chosen)
    }
    #expect(try others() == ["theirs"])
    #expect(try desk.read("a.txt").hasPrefix("mine and more"))
  }

  @Test func v5_theyAreChangedInsideOfACoordinatedWriteAndAllPresentersAreTold() async throws {
    let other = try desk.domain()
    let presenters = [Listener(desk.path("a.txt")), Listener(desk.path("a.txt"))]
    try folder.domain.addFilePresenter(presenters[0])
    try other.addFilePresenter(presenters[1])
    try await folder.resolve("a.txt", keeping: try conflict())
    for presenter in presenters {
      #expect(
        await eventually { presenter.lines.contains { $0.hasPrefix("lost a.sync-conflict") } })
      // It gives way and saves before anything is done.
      #expect(Array(presenter.lines.prefix(2)) == ["relinquish writer", "save"])
      #expect(presenter.lines.contains { $0.hasPrefix("gained ") })
    }
    try desk.write(copy, "again")
    try await folder.markResolved([try conflict()])
    try await folder.addConflict(Array("mine".utf8), of: "a.txt")
    for presenter in presenters {
      #expect(await eventually { presenter.lines.contains { $0.hasPrefix("resolved a.sync-") } })
      #expect(
        await eventually { presenter.lines.contains { $0.hasSuffix("-testdesklocal.txt") } })
    }
  }

  @Test func v5_aWriterIsWaitedFor() async throws {
    let other = try FileCoordinator(try desk.domain())
    let (folder, version) = (folder, try conflict())
    let hold = DispatchSemaphore(value: 0)
    let writer = Task {
      try await other.coordinate([.writing(version.file)]) { paths in
        hold.wait()
        try "written last".write(toFile: paths[0].string, atomically: false, encoding: .utf8)
      }
    }
    #expect(try await eventually { try folder.domain.report().claims.count == 1 })
    let replacing = Task { try await folder.replace("a.txt", with: version) }
    #expect(
      try await eventually {
        try folder.domain.report().claims.contains { $0.state == .waiting }
      })
    hold.signal()
    try await writer.value
    try await replacing.value
    #expect(try desk.read("a.txt") == "theirs" && others() == ["theirs", "written last"])
  }

  @Test func v6_keepingTheWinnerOnlyMarksTheRestAsResolved() async throws {
    try desk.write(Desk.copy("a", time: "111500"), "another")
    let current = try #require(try folder.currentVersion(of: "a.txt"))
    #expect(try await folder.resolve("a.txt", keeping: current) == 2)
    #expect(try desk.read("a.txt") == "mine" && desk.names == ["a.txt"])
    #expect(try others() == ["theirs", "another"])
    #expect(try folder.unresolvedConflictVersions(of: "a.txt") == [])
  }

  @Test func v6_keepingALoserKeepsTheWinnerOnThisMachineUnlessAllAreToGo() async throws {
    try desk.write(Desk.copy("a", time: "111500"), "another")
    let version = try #require(
      try folder.otherVersions(of: "a.txt")?.first { $0.path.lastComponent?.string == copy })
    try await folder.resolve("a.txt", keeping: version)
    #expect(try desk.read("a.txt") == "theirs" && desk.names == ["a.txt"])
    #expect(try others() == ["mine", "another"])
    try desk.write(copy, "more")
    try await folder.resolve("a.txt", keeping: try conflict(), discarding: true)
    // What lost before is not what was asked to be deleted now.
    #expect(try desk.read("a.txt") == "more" && others() == ["mine", "another", "theirs"])
  }

  @Test func v6_whatSomebodyHasMergedTakesTheDocumentsPlace() async throws {
    let current = try #require(try folder.currentVersion(of: "a.txt"))
    let merged = Array("mine and theirs".utf8)
    #expect(try await folder.resolve("a.txt", merged: merged, expecting: .version(current)) == 1)
    #expect(try desk.read("a.txt") == "mine and theirs" && desk.names == ["a.txt"])
    #expect(try others() == ["mine", "theirs"])
    try desk.write(copy, "more")
    // Made of something that is not there any more.
    await #expect(throws: DocumentFileError.changedMeanwhile(path: desk.path("a.txt").string)) {
      try await folder.resolve("a.txt", merged: merged, expecting: .version(current))
    }
    #expect(try folder.unresolvedConflictVersions(of: "a.txt")?.count == 1)
  }

  @Test func keptVersionsAreOnlyForTheirUserAndNeverInTheFolder() async throws {
    try await folder.markResolved([try conflict()])
    let files = LinuxFileSystem()
    let path = try #require(try folder.otherVersions(of: "a.txt")?.first?.path)
    #expect(path.starts(with: desk.kept) && path.lastComponent?.string == copy)
    #expect(try files.status(of: path).mode == 0o600)
    var parent = path.removingLastComponent()
    while parent != desk.state {
      #expect(try files.status(of: parent).mode == 0o700)
      parent.removeLastComponent()
    }
  }
}

/// A presenter that notes what it hears.
private final class Listener: FilePresenter {
  let presentedItemPath: FilePath?
  let presentedItemQueue = DispatchQueue(label: "listener")
  private let heard = Heard()

  init(_ path: FilePath) { presentedItemPath = path }

  var lines: [String] { heard.lines }

  func relinquishPresentedItem(
    to accessor: FileAccessor, _ done: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
  ) {
    heard.note("relinquish \(accessor)")
    done(nil)
  }
  func savePresentedItemChanges(_ done: @escaping @Sendable ((any Error)?) -> Void) {
    heard.note("save")
    done(nil)
  }
  func presentedItem(_ event: FileVersionEvent, version: String) {
    heard.note("\(event) \(version)")
  }
}
