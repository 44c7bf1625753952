import FeedSync
import Foundation
import Testing

/// The second example program, run as a user does, on two devices.
@Suite struct BookmarksTests {
  let place: Place

  init() throws { place = try Place() }

  private func bookmarks(_ device: String, _ words: String...) throws -> [String] {
    let process = Process()
    process.executableURL = Place.binary("BookmarksExample")
    process.arguments = [place.folder.path, place.state(device)] + words
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func whatOneDeviceAddsAnotherFindsVisitsAndKeepsWhole() throws {
    let swift = "https://swift.org/"
    #expect(try bookmarks("ann", "add", swift, "Swift") == [])
    #expect(try bookmarks("ann", "add", "https://example.org/", "Example") == [])
    #expect(try bookmarks("ben", "host", "swift.org") == [swift])
    // Another version of the program knows a member that this one does not.
    try place.feedsync("patch", "bookmarks", swift, #"{"color":"orange"}"#, as: "ben")
    #expect(try bookmarks("ben", "visit", swift) == [])
    #expect(
      try bookmarks("ann", "list") == ["0 Example <https://example.org/>", "1 Swift <\(swift)>"])
    #expect(try place.feedsync("get", "bookmarks", swift).contains(#""color":"orange""#))
    #expect(try bookmarks("ann", "visit", "https://none.example/") == ["no such bookmark"])
  }

  @Test func itWorksWhileTheFolderIsAway() throws {
    _ = try bookmarks("ann", "add", "https://swift.org/", "Swift")
    try place.setFolder(isAway: true)
    // Joining needs the folder; the store that is open does not. The message says so.
    let error = #expect(throws: FeedSyncError.self) {
      try UbiquityContainer.join(place.folder.path, state: place.state("ann"))
    }
    #expect(error?.code == .noContainer)
    let store = DocumentStore(try UbiquityContainer(place.folder.path, state: place.state("ann")))
    #expect(try store.read { try $0.ids(in: "bookmarks") } == ["https://swift.org/"])
  }
}
