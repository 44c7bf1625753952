import Dispatch
import DocumentFiles
import FileCoordination
import Foundation
import Synchronization
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// What bad folders come to: links, folders that cannot be read, another folder, too many names.
@Suite(.timeLimit(.minutes(2))) struct MetadataSafetyTests {
  private let desk: Desk

  init() throws {
    desk = try Desk()
    try desk.write("a.txt", "a")
  }

  private func names(_ result: MetadataResult) -> [String] { result.items.map(\.relativePath) }

  @Test func linksAreNeitherFollowedNorShown() throws {
    let outside = desk.directory.path.appending("outside")
    try desk.makeFolder(outside)
    try "secret".write(toFile: "\(outside)/s.txt", atomically: false, encoding: .utf8)
    for (name, target) in [("folder", outside.string), ("file", "\(outside)/s.txt"), ("up", "..")] {
      #expect(symlink(target, desk.path(name).string) == 0)
    }
    #expect(mkfifo(desk.path("fifo").string, 0o600) == 0)
    #expect(names(try desk.folder().metadata()) == ["a.txt"])
  }

  @Test func aFolderThatBecomesALinkLosesItsFiles() async throws {
    let (hints, outside) = (FakeHints(), desk.directory.path.appending("outside"))
    for path in [outside, desk.path("in")] { try desk.makeFolder(path) }
    try desk.write("in/b.txt", "b")
    try "secret".write(toFile: "\(outside)/s.txt", atomically: false, encoding: .utf8)
    let run = QueryRun(MetadataQuery(in: try desk.folder(hints: hints)))
    #expect(await run.update(1)?.names == ["a.txt", "in/b.txt"])
    try LinuxFileSystem().rename(desk.path("in"), to: desk.directory.path.appending("away"))
    #expect(symlink(outside.string, desk.path("in").string) == 0)
    // Told of the folder alone, as where the other hint is late.
    hints.happen(in: desk.path("in"))
    #expect(await desk.sleeps(until: .seconds(1)))
    desk.time.advance(by: .seconds(1))
    #expect(await run.update(2)?.names == ["a.txt"])
    #expect(await eventually { hints.watched == [desk.root] })
  }

  @Test func aFolderThatCannotBeReadIsAProblemAndWhatWasKnownOfItStays() async throws {
    let hints = FakeHints()
    let isClosed = Atomic(false)
    try desk.makeFolder(desk.path("in"))
    try desk.write("in/b.txt", "b")
    let folder = try desk.folder { ambient in
      ambient.watchTree = { _, wake in
        hints.connect(wake)
        return hints
      }
      let look = ambient.look
      ambient.look = { root, names, limit in
        if names == ["in"], isClosed.load(ordering: .relaxed) {
          throw FileError(.list, root.appending("in"), .ioError)
        }
        return try look(root, names, limit)
      }
    }
    let run = QueryRun(MetadataQuery(in: folder))
    #expect(await run.update(1)?.names == ["a.txt", "in/b.txt"])
    isClosed.store(true, ordering: .relaxed)
    hints.happen(in: desk.path("in"))
    #expect(await desk.sleeps(until: .seconds(1)))
    desk.time.advance(by: .seconds(1))
    let closed = try #require(await run.update(2))
    #expect(closed.names == ["a.txt", "in/b.txt"])
    #expect(
      closed.result.problems == [
        .system(
          operation: "list", path: desk.path("in").string, errno: Errno.ioError.rawValue)
      ])
    // No hint tells that a disk works again.
    isClosed.store(false, ordering: .relaxed)
    #expect(await desk.sleeps(until: .seconds(6)))
    desk.time.advance(by: .seconds(5))
    #expect(await run.update(3)?.result.problems == [])
  }

  @Test func anotherContainerInTheFoldersPlaceEndsTheQuery() async throws {
    struct Another: Error {}
    let hints = FakeHints()
    let isOther = Atomic(false)
    var folder = try desk.folder(hints: hints)
    folder.absence = { if isOther.load(ordering: .relaxed) { throw Another() } else { nil } }
    let run = QueryRun(MetadataQuery(in: folder))
    #expect(await run.update(1) != nil)
    isOther.store(true, ordering: .relaxed)
    hints.happen(in: desk.root)
    #expect(await desk.sleeps(until: .seconds(1)))
    desk.time.advance(by: .seconds(1))
    #expect(await eventually { run.isOver })
    #expect(run.error is Another && run.updates.count == 1)
  }

  @Test func aFolderThatIsAwayAtTheBeginningIsAnError() async throws {
    var folder = try desk.folder(hints: FakeHints())
    folder.absence = { "it is not mounted" }
    let error = DocumentFileError.folderAway(path: desk.root.string, reason: "it is not mounted")
    #expect(throws: error) { try folder.metadata() }
    let run = QueryRun(MetadataQuery(in: folder))
    #expect(await eventually { run.isOver })
    #expect(run.error as? DocumentFileError == error && run.updates.isEmpty)
  }

  @Test func foldersBeyondTheLimitsAreProblemsAndTheRestIsShown() throws {
    let folder = try desk.folder { ambient in
      let look = ambient.look
      ambient.look = { root, names, limit in
        guard names == ["many"] else { return try look(root, names, limit) }
        // As many as anybody asks for.
        return (0..<limit).compactMap { number in
          FilePath.Component("\(number)").map {
            .init($0, .failure(FileError(.status, root, .ioError)))
          }
        }
      }
    }
    try desk.makeFolder(desk.path("many"))
    var path = desk.root
    for _ in 0..<65 {
      path.append("d")
      try desk.makeFolder(path)
    }
    let result = try folder.metadata()
    #expect(names(result) == ["a.txt"])
    #expect(result.problems.count == 2)
    #expect(
      result.problems.last
        == .tooMany(path: desk.path("many").string, limit: 100_000, depth: 64))
  }

  @Test func foldersBeyondTheLimitAreTheSameEachTimeThatAllIsRead() async throws {
    let hints = FakeHints()
    for number in 0..<8 { try desk.makeFolder(desk.path("\(number)")) }
    let folder = try desk.folder { ambient in
      ambient.watchTree = { _, wake in
        hints.connect(wake)
        return hints
      }
      let look = ambient.look
      ambient.look = { root, names, limit in
        guard !names.isEmpty else { return try look(root, names, limit) }
        // One that is shown, and many that are not: six such folders have room.
        let all = ["b.txt"] + (1..<15_000).map { ".feedsync-\($0)" }
        return all.prefix(limit).compactMap { name in
          FilePath.Component(name).map {
            .init($0, .failure(FileError(.status, root, .ioError)))
          }
        }
      }
    }
    let run = QueryRun(MetadataQuery(in: folder))
    let shown = (0..<6).map { "\($0)/b.txt" } + ["a.txt"]
    #expect(await run.update(1)?.names == shown)
    #expect(run.updates.last?.result.problems.count == 2)
    for second in 1...2 {
      hints.overflow()
      #expect(await desk.sleeps(until: .seconds(second)))
      desk.time.advance(by: .seconds(1))
      #expect(await desk.sleeps(until: .seconds(second + 300)))
    }
    try desk.write("c.txt", "c")
    hints.happen(in: desk.root)
    #expect(await desk.sleeps(until: .seconds(3)))
    desk.time.advance(by: .seconds(1))
    // Nothing was told of what is as it was.
    #expect(await run.update(2)?.names == shown + ["c.txt"])
  }

  @Test func aFolderIsAskedWhetherItCanBeWatchedOnNoThreadThatAllTasksShare() async throws {
    let (asked, answer) = (Heard(), DispatchSemaphore(value: 0))
    let folder = try desk.folder { ambient in
      ambient.watchTree = { _, _ in
        asked.note("asked")
        // As where its file system's server is gone, but not for good: that would end no test.
        if answer.wait(timeout: .now() + 20) == .success { asked.note("answered") }
        return FakeHints()
      }
    }
    let thread = TaskThread()
    let names = try await withTaskExecutorPreference(thread) {
      async let names = gathered(by: MetadataQuery(in: folder))
      // On the same thread: were that asking, it would not be answered.
      try await waitUntil { !asked.lines.isEmpty }
      answer.signal()
      return try await names
    }
    thread.end()
    #expect(names == ["a.txt"])
    #expect(asked.lines == ["asked", "answered"])
  }

  private func gathered(by query: MetadataQuery) async throws -> [String]? {
    var updates = query.makeAsyncIterator()
    return try await updates.next()?.names
  }
}
