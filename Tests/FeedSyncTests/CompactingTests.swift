import FeedSync
import Foundation
import Testing

/// Ann's program writes many small files, and looks after them itself.
@Suite("A program that looks after its files", .timeLimit(.minutes(3))) struct CompactingTests {
  private let place: Place
  private let store: DocumentStore

  init() throws {
    place = try Place()
    store = try place.store()
    for number in 1...33 {
      try store.write { try $0.put(Note(title: "\(number)"), at: "a\(number % 3)", in: "notes") }
    }
  }

  private var files: Int {
    get throws {
      let logs = place.folder.appending(path: "logs")
      return try FileManager.default.subpathsOfDirectory(atPath: logs.path)
        .count { $0.hasSuffix(".log") }
    }
  }

  /// A disk may take as long for one file as the usual budget lets all of them.
  private static let plenty = Duration.seconds(3_600)

  @Test("joins them, and changes no document") func compacts() throws {
    let before = try store.read { try $0.ids(in: "notes") }
    let summary = try store.compact()
    #expect(summary.joinedFiles == 33 && summary.writtenFiles == 1)
    #expect(summary.waitingFiles == 33 && summary.removedFiles == 0 && summary.isFinished)
    #expect(try store.read { try $0.ids(in: "notes") } == before)
    let other = try place.store("bob")
    try other.importAll()
    #expect(try other.status().documents == 3)
  }

  @Test("and need not wait for it") func compactsBeside() async throws {
    #expect(try await store.compactIfDue(for: Self.plenty)?.joinedFiles == 33)
    #expect(try await store.compact().joinedFiles == 0)
  }

  @Test("does so if it is due, which it is not twice") func due() throws {
    #expect(try store.compactIfDue(for: Self.plenty)?.joinedFiles == 33)
    #expect(try store.compactIfDue() == nil)
  }

  @Test("says that there is more to do where it may take no time") func budget() throws {
    let summary = try store.compact(for: .zero)
    #expect(!summary.isFinished || summary.joinedFiles == 33)
    #expect(try store.compact().isFinished)
    #expect(try files == 34)
  }

  @Test("goes by its own settings") func settings() throws {
    var settings = try store.compactionSettings()
    #expect(settings == .standard)
    settings.grace = .zero
    settings.interval = nil
    settings.horizon = .seconds(2 * 86_400)
    settings.acknowledgeAfter = .seconds(86_400)
    try place.feedsync("settings", "set", "forget", "no")
    try store.setCompactionSettings(settings)
    #expect(try store.compactionSettings() == settings)
    #expect(try place.feedsync("settings", "get", "forget") == "no\n")
    try place.feedsync("settings", "reset", "forget")
    #expect(try place.feedsync("settings", "get", "horizon") == "2d\n")
    #expect(try store.compactIfDue() == nil)
    #expect(try store.compact().removedFiles == 33)
    #expect(try files == 1)
    settings.horizon = .seconds(86_400)
    let error = #expect(throws: FeedSyncError.self) { try store.setCompactionSettings(settings) }
    #expect(error?.code == .usage)
    #expect(try store.compactionSettings().horizon == .seconds(2 * 86_400))
  }

  @Test("refuses settings of any length", arguments: [1, 2, -2])
  func longSettings(factor: Int) throws {
    var settings = try store.compactionSettings()
    settings.grace = .seconds(Int64.max) * factor
    let error = #expect(throws: FeedSyncError.self) { try store.setCompactionSettings(settings) }
    #expect(error?.code == .usage)
    #expect(try store.compactionSettings() == .standard)
  }

  @Test("knows what the folder holds, what is dead, and who must be heard from")
  func usage() throws {
    let other = try place.store("bob")
    try other.write { try $0.put(Note(title: "b"), at: "b", in: "notes") }
    try store.importAll()
    let usage = try store.folderUsage()
    #expect(usage.files == 34 && usage.bytes > 0)
    #expect(usage.shares.map(\.device.name) == ["ann", "bob"])
    #expect(usage.deadOperations >= 30 && usage.deadBytes > 0)
    #expect(usage.awaited.map(\.device.name) == ["bob"])
    try other.importAll()
    try other.write { try $0.put(Note(title: "c"), at: "b", in: "notes") }
    try store.importAll()
    #expect(try store.folderUsage().awaited.isEmpty)
  }
}
