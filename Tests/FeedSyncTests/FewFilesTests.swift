import FeedSync
import Foundation
import Testing

/// A syncer has to look at every file, again and again.
@Suite struct FewFilesTests {
  /// Lesson 8: one file for each change does not scale.
  @Test func whatIsWrittenWhileTheFolderIsAwayBecomesOneFile() throws {
    let place = try Place()
    let store = try place.store()
    try place.setFolder(isAway: true)
    for number in 1...20 {
      try store.write { try $0.put(Note(title: "\(number)"), at: "a\(number)", in: "notes") }
    }
    for number in 1...3 {
      try place.feedsync("put", "notes", "b\(number)", #"{"title":"by command"}"#)
    }
    try place.setFolder(isAway: false)
    #expect(try store.importAll().published == 23)
    let logs = place.folder.appending(path: "logs")
    let files = try FileManager.default.subpathsOfDirectory(atPath: logs.path)
      .filter { $0.hasSuffix(".log") }
    #expect(files.count == 1)
    let other = try place.store("bob")
    try other.importAll()
    #expect(try other.status().documents == 23)
  }
}
