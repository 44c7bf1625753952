import DocumentFiles
import FileCoordination
import FolderWatching
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// The same over a real folder, with the kernel's hints and the system's time.
@Suite(.timeLimit(.minutes(2))) struct MetadataWatchingTests {
  private let desk: Desk
  private let query: MetadataQuery

  init() throws {
    desk = try Desk()
    let folder = try DocumentFolder(desk.root, keeping: desk.kept, domain: try desk.domain())
    query = MetadataQuery(in: folder, interval: .milliseconds(20))
  }

  /// The names that are shown once they are these; else those that were shown last.
  private func shown(_ names: [String], by run: QueryRun) async -> [String]? {
    _ = await eventually { run.updates.last?.names == names }
    return run.updates.last?.names
  }

  @Test func m1_m6_filesAreToldAsTheyComeChangeAndGoInNewFoldersToo() async throws {
    try desk.write("a.txt", "a")
    let run = QueryRun(query)
    #expect(await shown(["a.txt"], by: run) == ["a.txt"])
    try desk.write("b.txt", "b")
    #expect(await shown(["a.txt", "b.txt"], by: run) == ["a.txt", "b.txt"])
    try desk.makeFolder(desk.path("in"))
    try desk.write("in/c.txt", "c")
    try desk.remove("b.txt")
    #expect(await shown(["a.txt", "in/c.txt"], by: run) == ["a.txt", "in/c.txt"])
    // In place, as an editor may.
    try "longer".write(toFile: desk.path("in/c.txt").string, atomically: false, encoding: .utf8)
    #expect(await eventually { run.updates.last?.result.items.last?.size == 6 })
    try LinuxFileSystem().rename(desk.path("in"), to: desk.path("out"))
    #expect(await shown(["a.txt", "out/c.txt"], by: run) == ["a.txt", "out/c.txt"])
    // The folder that was moved is watched under its new name.
    try desk.write("out/d.txt", "d")
    let last = ["a.txt", "out/c.txt", "out/d.txt"]
    #expect(await shown(last, by: run) == last)
    #expect(run.updates.filter(\.isGathered).count == 1)
  }

  @Test func aFolderThatIsRemovedAndMadeAgainIsWatchedAgain() async throws {
    try desk.makeFolder(desk.path("in"))
    try desk.write("in/a.txt", "a")
    let run = QueryRun(query)
    #expect(await shown(["in/a.txt"], by: run) == ["in/a.txt"])
    for round in 0..<5 {
      try FileManager.default.removeItem(atPath: desk.path("in").string)
      try desk.makeFolder(desk.path("in"))
      try desk.write("in/\(round).txt", "x")
      #expect(await shown(["in/\(round).txt"], by: run) == ["in/\(round).txt"])
    }
  }

  @Test func anotherFolderUnderThePathIsNoticedWhereTheOneAboveWasMoved() async throws {
    let container = desk.directory.path.appending("container")
    let documents = container.appending("Documents")
    func write(_ name: String) throws {
      try "x".write(toFile: "\(documents)/\(name)", atomically: false, encoding: .utf8)
    }
    for path in [container, documents] { try desk.makeFolder(path) }
    try write("a.txt")
    let folder = try DocumentFolder(documents, keeping: desk.kept, domain: try desk.domain())
    let run = QueryRun(MetadataQuery(in: folder, interval: .milliseconds(20)))
    #expect(await shown(["a.txt"], by: run) == ["a.txt"])
    for round in 0..<2 {
      try LinuxFileSystem().rename(
        container, to: desk.directory.path.appending("elsewhere-\(round)"))
      for path in [container, documents] { try desk.makeFolder(path) }
      try write("\(round).txt")
      #expect(await shown(["\(round).txt"], by: run) == ["\(round).txt"])
    }
    try write("z.txt")
    #expect(await shown(["1.txt", "z.txt"], by: run) == ["1.txt", "z.txt"])
  }

  @Test func aSignalTellsOfTheFoldersThatAreWatchedAndOfNoOthers() async throws {
    for name in ["in", "out"] { try desk.makeFolder(desk.path(name)) }
    let heard = Heard()
    let signal = TreeSignal(desk.root) { heard.note("") }
    #expect(signal.seesAll && signal.take() == .nothing)
    signal.watch(desk.path("in"))
    try desk.write("out/a.txt", "a")
    try desk.write("in/a.txt", "a")
    #expect(await eventually { !heard.lines.isEmpty })
    #expect(signal.take() == .folders([desk.path("in")]))
    signal.forget(desk.path("in"))
    signal.watch(desk.path("missing"))
    #expect(signal.seesAll)
    try desk.write("in/b.txt", "b")
    signal.watch(desk.path("out"))
    try desk.write("out/b.txt", "b")
    #expect(
      await eventually { signal.take() == .folders([desk.path("out")]) })
  }
}
