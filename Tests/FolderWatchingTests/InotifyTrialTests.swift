import FolderWatching
import Testing

/// How a refusal is told is `doctor`'s; here, that nothing is refused without need.
@Suite struct InotifyTrialTests {
  @Test func directoriesCanBeWatchedHoweverMany() throws {
    let folder = try TemporaryContainer(streams: ["a", "b"])
    defer { folder.remove() }
    let streams = ["a", "b"].map { folder.logs.appending($0) }
    #expect(InotifyTrial.run(on: [folder.root, folder.logs] + streams) == nil)
    // Again and again: each trial gives back what it took.
    for _ in 0..<300 { #expect(InotifyTrial.run(on: streams) == nil) }
  }

  @Test func whatIsNotThereOrNoDirectoryIsNobodysFault() throws {
    let folder = try TemporaryContainer(streams: [])
    defer { folder.remove() }
    let missing = folder.root.appending("missing")
    #expect(InotifyTrial.run(on: [missing, missing.appending("deep"), "/dev/null"]) == nil)
  }
}
