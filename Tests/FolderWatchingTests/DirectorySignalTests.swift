import FolderWatching
import Foundation
import SystemPackage
import TestSupport
import Testing

/// One directory that is watched, as documents watch theirs.
@Suite struct DirectorySignalTests {
  private let directory: TemporaryDirectory
  private let watched: FilePath

  init() throws {
    directory = try TemporaryDirectory()
    watched = directory.path.appending("watched")
    #expect(mkdir(watched.string, 0o700) == 0)
  }

  @Test func itTellsOfAFileThatComes() async throws {
    let signal = DirectorySignal(watched)
    var changes = signal.changes.makeAsyncIterator()
    try "new".write(
      toFile: watched.appending("a").string, atomically: false, encoding: .utf8)
    #expect(await changes.next() != nil)
    // As long as it is kept, it goes on.
    try "newer".write(
      toFile: watched.appending("b").string, atomically: false, encoding: .utf8)
    #expect(await changes.next() != nil)
    withExtendedLifetime(signal) {}
  }

  @Test(arguments: [false, true])
  func itEndsAfterTellingWhereTheDirectoryIsGone(_ isMoved: Bool) async throws {
    let signal = DirectorySignal(watched)
    if isMoved {
      #expect(rename(watched.string, directory.path.appending("elsewhere").string) == 0)
    } else {
      #expect(rmdir(watched.string) == 0)
    }
    var count = 0
    for await _ in signal.changes { count += 1 }
    #expect(count > 0)
    withExtendedLifetime(signal) {}
  }

  @Test func allOfAProcessHaveOneInotifyInstance() async throws {
    let inotify = SharedInotify()
    let other = directory.path.appending("other")
    #expect(mkdir(other.string, 0o700) == 0)
    var signals = [watched, other, watched].map { DirectorySignal($0, by: inotify) }
    #expect(inotify.descriptor != nil)
    // One that ends takes nothing from those that watch the same.
    signals.removeLast()
    for (signal, folder) in zip(signals, [watched, other]) {
      var changes = signal.changes.makeAsyncIterator()
      try "new".write(
        toFile: folder.appending("a").string, atomically: false, encoding: .utf8)
      #expect(await changes.next() != nil)
    }
    #expect(inotify.descriptor != nil)
    signals.removeAll()
    #expect(inotify.descriptor == nil)
    // Nor is the next one's taken for the one that was ended.
    let next = DirectorySignal(watched, by: inotify)
    var changes = next.changes.makeAsyncIterator()
    try "new".write(
      toFile: watched.appending("b").string, atomically: false, encoding: .utf8)
    #expect(await changes.next() != nil)
    withExtendedLifetime(next) {}
  }
}
