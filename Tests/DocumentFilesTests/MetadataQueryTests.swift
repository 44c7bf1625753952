import DocumentFiles
import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// A query over a folder that others change, its time and its hints in the test's hands: M1 to M6.
@Suite(.timeLimit(.minutes(2))) struct MetadataQueryTests {
  private let desk: Desk
  private let hints = FakeHints()
  private let reads = Heard()
  private let turns = Heard()
  private let query: MetadataQuery

  init() throws {
    desk = try Desk()
    query = MetadataQuery(in: try desk.folder(hints: hints, counting: reads, turns: turns))
    try desk.write("a.txt", "a")
  }

  /// Has a change hinted at, and the query wait for the end of the interval.
  private func hint(in folder: String = "", until time: Duration) async -> Bool {
    hints.happen(in: folder.isEmpty ? desk.root : desk.path(folder))
    return await desk.sleeps(until: time)
  }

  /// Has the query look how it is set, and waits until it does.
  private func turn() async -> Bool {
    let before = turns.lines.count
    query.interval = query.interval
    return await eventually { turns.lines.count > before }
  }

  @Test func m1_gatheringIsToldOnceWithTheWholeResultThenUpdates() async throws {
    try desk.makeFolder(desk.path("in"))
    try desk.write("in/b.txt", "b")
    let run = QueryRun(query)
    let first = try #require(await run.update(1))
    #expect(first.isGathered && first.names == ["a.txt", "in/b.txt"])
    #expect(first.result.added.map(\.position) == [0, 1] && first.result.problems == [])
    try desk.write("in/c.txt", "c")
    #expect(await hint(in: "in", until: .seconds(1)))
    desk.time.advance(by: .seconds(1))
    let second = try #require(await run.update(2))
    #expect(!second.isGathered && second.names == ["a.txt", "in/b.txt", "in/c.txt"])
    #expect(second.result.added.map(\.item.relativePath) == ["in/c.txt"])
    // What was not hinted at was not read again.
    #expect(reads.lines == ["", "in", "in"])
  }

  @Test func m2_changesOfASecondAreOneUpdateAndTheIntervalCanBeSet() async throws {
    let run = QueryRun(query)
    #expect(await run.update(1) != nil)
    try desk.write("b.txt", "b")
    #expect(await hint(until: .seconds(1)))
    desk.time.advance(by: .milliseconds(900))
    try desk.remove("a.txt")
    try desk.write("c.txt", "c")
    hints.happen(in: desk.root)
    desk.time.advance(by: .milliseconds(100))
    let update = try #require(await run.update(2))
    #expect(update.result.added.map(\.item.relativePath) == ["b.txt", "c.txt"])
    #expect(update.result.removed.map(\.relativePath) == ["a.txt"])
    query.interval = .seconds(10)
    try desk.write("d.txt", "d")
    #expect(await hint(until: .seconds(11)))
    desk.time.advance(by: .seconds(10))
    #expect(await run.update(3)?.names == ["b.txt", "c.txt", "d.txt"])
  }

  @Test func m2_aChangeThatShowsNothingIsNoUpdate() async throws {
    query.predicate = .name("*.md")
    let run = QueryRun(query)
    #expect(await run.update(1)?.names == [])
    try desk.write("b.txt", "b")
    #expect(await hint(until: .seconds(1)))
    desk.time.advance(by: .seconds(1))
    #expect(await eventually { reads.lines.count == 2 })
    try desk.write("c.md", "c")
    #expect(await hint(until: .seconds(2)))
    desk.time.advance(by: .seconds(1))
    #expect(await run.update(2)?.names == ["c.md"])
  }

  @Test func m3_whatHappensWhileUpdatesAreDisabledComesAsOneUpdateAfterwards() async throws {
    let run = QueryRun(query)
    #expect(await run.update(1) != nil)
    query.disableUpdates()
    query.disableUpdates()
    for name in ["b", "c"] {
      try desk.write("\(name).txt", name)
      hints.happen(in: desk.root)
      desk.time.advance(by: .seconds(400))
    }
    query.enableUpdates()
    // As often as they were disabled; and nothing was read while nothing could be told.
    // What follows from one turn has been done, or read at least, at the next.
    for _ in 0..<2 { #expect(await turn()) }
    #expect(run.updates.count == 1 && reads.lines == [""])
    query.enableUpdates()
    query.enableUpdates()
    #expect(await run.update(2)?.result.added.map(\.item.relativePath) == ["b.txt", "c.txt"])
  }

  @Test func m4_anotherPredicateOrOrderRestartsTheQuery() async throws {
    try desk.write("b.md", "bb")
    let run = QueryRun(query)
    #expect(await run.update(1)?.names == ["a.txt", "b.md"])
    query.predicate = .name("*.md")
    let second = try #require(await run.update(2))
    #expect(second.isGathered && second.names == ["b.md"])
    #expect(second.result.added.count == 1 && second.result.removed == [])
    query.predicate = .everything
    #expect(await run.update(3)?.isGathered == true)
    query.order = [MetadataOrder(.size, descending: true)]
    let fourth = try #require(await run.update(4))
    #expect(fourth.isGathered && fourth.names == ["b.md", "a.txt"])
    try desk.write(Desk.copy("a"), "theirs")
    query.scope = .documentsAndConflictCopies
    #expect(await run.update(5)?.names.first == Desk.copy("a"))
  }

  @Test func m5_aFileArrivesInStepsAndIsCurrentInTheEnd() async throws {
    let run = QueryRun(query)
    #expect(await run.update(1) != nil)
    let temporary = desk.path(".syncthing.b.txt.tmp")
    let file = try #require(fopen(temporary.string, "w"))
    #expect(ftruncate(fileno(file), 1 << 20) == 0)
    fputs(String(repeating: "b", count: 100_000), file)
    fflush(file)
    #expect(await hint(until: .seconds(1)))
    desk.time.advance(by: .seconds(1))
    let arriving = try #require(await run.update(2)?.result.added.first?.item)
    #expect(arriving.relativePath == "b.txt" && arriving.downloadingStatus == .notDownloaded)
    #expect(arriving.arrival?.expectedSize == 1 << 20)
    #expect((100_000..<200_000).contains(arriving.arrival?.downloadedSize ?? 0))
    fclose(file)
    try LinuxFileSystem().rename(temporary, to: desk.path("b.txt"))
    #expect(await hint(until: .seconds(2)))
    desk.time.advance(by: .seconds(1))
    let item = try #require(await run.update(3)?.result.changed.first?.item)
    #expect(item.downloadingStatus == .current && item.size == 1 << 20 && item.isPublished)
    try desk.write(Desk.copy("b"), "theirs")
    #expect(await hint(until: .seconds(3)))
    desk.time.advance(by: .seconds(1))
    #expect(await run.update(4)?.result.changed.first?.item.hasUnresolvedConflicts == true)
  }

  @Test func m6_lostHintsAndChangesThatNobodyToldAreFoundAllTheSame() async throws {
    let run = QueryRun(query)
    #expect(await run.update(1) != nil)
    try desk.write("b.txt", "b")
    hints.overflow()
    #expect(await desk.sleeps(until: .seconds(1)))
    desk.time.advance(by: .seconds(1))
    #expect(await run.update(2)?.names == ["a.txt", "b.txt"])
    // No hint at all: the safety net.
    #expect(await desk.sleeps(until: .seconds(301)))
    try desk.write("c.txt", "c")
    hints.isBlind = true
    desk.time.advance(by: .seconds(300))
    #expect(await run.update(3)?.names == ["a.txt", "b.txt", "c.txt"])
    // Where nothing is hinted at, every five seconds.
    try desk.remove("a.txt")
    #expect(await desk.sleeps(until: .seconds(306)))
    desk.time.advance(by: .seconds(5))
    #expect(await run.update(4)?.names == ["b.txt", "c.txt"])
  }

  @Test func m6_aHintIsNotTheTruthTheFolderIs() async throws {
    let run = QueryRun(query)
    #expect(await run.update(1) != nil)
    // A file comes and goes within the interval, and another is hinted at without a change.
    try desk.write("b.txt", "b")
    #expect(await hint(until: .seconds(1)))
    try desk.remove("b.txt")
    desk.time.advance(by: .seconds(1))
    #expect(await eventually { reads.lines.count == 2 })
    try desk.write("c.txt", "c")
    #expect(await hint(until: .seconds(2)))
    desk.time.advance(by: .seconds(1))
    #expect(await run.update(2)?.names == ["a.txt", "c.txt"])
  }

  @Test func aFolderThatIsAwayIsNotADeletedOne() async throws {
    let run = QueryRun(query)
    #expect(await run.update(1) != nil)
    let elsewhere = desk.directory.path.appending("elsewhere")
    try LinuxFileSystem().rename(desk.root, to: elsewhere)
    #expect(await hint(until: .seconds(1)))
    desk.time.advance(by: .seconds(1))
    let away = try #require(await run.update(2))
    #expect(away.names == ["a.txt"] && away.result.removed == [])
    #expect(away.result.problems.map(\.path) == [desk.root.string])
    try LinuxFileSystem().rename(elsewhere, to: desk.root)
    #expect(await desk.sleeps(until: .seconds(6)))
    desk.time.advance(by: .seconds(5))
    let back = try #require(await run.update(3))
    #expect(back.names == ["a.txt"] && back.result.problems == [])
    #expect(back.result.changed == [] && back.result.added == [])
  }

  @Test func aQueryThatWaitsDoesNothing() async throws {
    let (looks, hints) = (Heard(), FakeHints())
    let folder = try desk.folder { ambient in
      ambient.watchTree = { _, wake in
        hints.connect(wake)
        return hints
      }
      ambient.uptime = {
        looks.note("")
        return .zero
      }
      // Unlike the desk's, it ends when it is cancelled.
      ambient.sleep = { _ in try await Task.sleep(for: .seconds(3600)) }
    }
    let run = QueryRun(MetadataQuery(in: folder, interval: .zero))
    #expect(await run.update(1) != nil)
    try desk.write("b.txt", "b")
    hints.happen(in: desk.root)
    #expect(await run.update(2) != nil)
    // Turns enough for whoever has something to do.
    for _ in 0..<10_000 { await Task.yield() }
    #expect(looks.lines.count < 30)
  }

  @Test func aQueryThatIsCancelledEndsAndFollowsNoMore() async throws {
    let run = QueryRun(query)
    #expect(await run.update(1) != nil)
    run.cancel()
    #expect(await eventually { run.isOver })
    #expect(run.error == nil)
  }
}
