import FolderWatching
import Foundation
import SystemPackage
import TestSupport
import Testing

/// What tells a follower that the database's log was written.
@Suite(.timeLimit(.minutes(1))) struct FileChangeSignalTests {
  private let directory: TemporaryDirectory
  private let log: FilePath

  init() throws {
    directory = try TemporaryDirectory()
    log = directory.path.appending("store.sqlite-wal")
  }

  @Test func itTellsOfAWriteAndAgainUntilTheCommitMustBeSeen() async throws {
    let signal = FileChangeSignal(directory: directory.path, names: ["store.sqlite-wal"])
    var changes = signal.changes.makeAsyncIterator()
    try "frames".write(toFile: log.string, atomically: false, encoding: .utf8)
    for _ in 0..<3 { #expect(await changes.next() != nil) }
    withExtendedLifetime(signal) {}
  }

  /// The first import of a second follower was never told once: its frames were written, and not
  /// yet synced, when the signal was made and the follower looked.
  @Test func aWriteBeforeItWasMadeIsTooSinceItsCommitMayNotHaveBeenSeen() async throws {
    try "frames".write(toFile: log.string, atomically: false, encoding: .utf8)
    let signal = FileChangeSignal(directory: directory.path, names: ["store.sqlite-wal"])
    var changes = signal.changes.makeAsyncIterator()
    for _ in 0..<3 { #expect(await changes.next() != nil) }
    withExtendedLifetime(signal) {}
  }
}
