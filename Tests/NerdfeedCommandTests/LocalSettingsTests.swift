import FeedFetching
import FeedLibrary
import Foundation
import Testing

@testable import NerdfeedCommand

/// Secrets stay on their machine, for their owner alone.
@Suite final class LocalSettingsTests {
  private let directory = FileManager.default.temporaryDirectory
    .appending(path: "nerdfeed-settings-\(UUID().uuidString)").path

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func load() throws -> LocalSettings {
    try LocalSettings.load(environment: ["NERDFEED_CONFIG": directory])
  }

  @Test func nothingIsSetWhereThereIsNoFile() throws {
    #expect(try load().credentials.isEmpty)
    #expect(try load().trustedCertificateFiles.isEmpty)
  }

  @Test func aRelativePathInXDGConfigHomeCountsForNothing() throws {
    let home = ["HOME": directory]
    func found(_ configuration: String) throws -> String? {
      let environment = home.merging(["XDG_CONFIG_HOME": configuration]) { $1 }
      return try LocalSettings.load(environment: environment).directory
    }
    #expect(try found("config") == directory + "/.config/nerdfeed")
    #expect(try found(directory + "/c") == directory + "/c/nerdfeed")
  }

  @Test func aPasswordIsFoundForItsServerAndNoOther() throws {
    let secret = FeedCredentials(name: "ann", password: "p:ä\"x")
    var settings = try load()
    try settings.keep(secret, for: FeedAddress("https://e.org/feed"))
    let read = try load()
    #expect(read.credentials(for: try FeedAddress("https://e.org:443/other")) == secret)
    for other in ["http://e.org/", "https://e.org:8443/", "https://www.e.org/"] {
      #expect(read.credentials(for: try FeedAddress(other)) == nil)
    }
  }

  @Test func aServerThatHasMovedToHTTPSKeepsItsPassword() throws {
    let old = FeedCredentials(name: "a", password: "1")
    let new = FeedCredentials(name: "a", password: "2")
    var settings = try load()
    try settings.keep(old, for: FeedAddress("http://e.org/feed"))
    #expect(try load().credentials(for: FeedAddress("https://e.org/feed")) == old)
    #expect(try load().credentials(for: FeedAddress("https://e.org:8443/feed")) == nil)
    #expect(try load().credentials(for: FeedAddress("https://f.org/feed")) == nil)
    try settings.keep(new, for: FeedAddress("https://e.org/feed"))
    #expect(try load().credentials(for: FeedAddress("https://e.org/feed")) == new)
    #expect(try load().credentials(for: FeedAddress("http://e.org/feed")) == old)
  }

  @Test("Passwords that two processes keep at once are all kept")
  func passwordsThatTwoProcessesKeepAreKept() throws {
    var (one, two) = (try load(), try load())
    let first = FeedCredentials(name: "a", password: "1")
    let second = FeedCredentials(name: "b", password: "2")
    try one.keep(first, for: FeedAddress("https://e.org/feed"))
    try two.keep(second, for: FeedAddress("https://f.org/feed"))
    #expect(try load().credentials(for: FeedAddress("https://e.org/feed")) == first)
    #expect(try load().credentials(for: FeedAddress("https://f.org/feed")) == second)
    #expect(try two.credentials(for: FeedAddress("https://e.org/feed")) == first)
  }

  @Test("A password is kept where a process with the same number was killed while it kept one")
  func whatWasLeft() throws {
    var settings = try load()
    let address = try FeedAddress("https://e.org/feed")
    let (first, second) = (
      FeedCredentials(name: "ann", password: "1"), FeedCredentials(name: "ann", password: "2")
    )
    try settings.keep(first, for: address)
    let draft = directory + "/credentials.json.\(getpid()).tmp"
    try Data("{".utf8).write(to: URL(filePath: draft))
    try settings.keep(second, for: address)
    #expect(try load().credentials(for: address) == second)
    #expect(!FileManager.default.fileExists(atPath: draft))
  }

  @Test("A password in a list of subscriptions replaces none that is kept")
  func aPasswordInAListReplacesNone() throws {
    let kept = FeedCredentials(name: "a", password: "1")
    let other = FeedCredentials(name: "a", password: "2")
    var settings = try load()
    #expect(try settings.offer(kept, for: FeedAddress("http://e.org/feed")))
    // That of http goes to https as well, so another there would take its place.
    for url in ["http://e.org/feed", "https://e.org/other"] {
      #expect(try !settings.offer(other, for: FeedAddress(url)))
      #expect(try settings.offer(kept, for: FeedAddress(url)))
      #expect(try load().credentials(for: FeedAddress(url)) == kept)
    }
    #expect(try settings.offer(other, for: FeedAddress("https://f.org/feed")))
    #expect(try load().credentials(for: FeedAddress("https://f.org/feed")) == other)
    let warning = LocalSettings.othersAreKept(for: try FeedAddress("https://a:2@e.org/feed"))
    #expect(warning.subject == "https://e.org/feed" && warning.hint != nil)
  }

  @Test func nobodyElseCanReadThePasswords() throws {
    var settings = try load()
    for password in ["1", "2"] {
      try settings.keep(
        FeedCredentials(name: "a", password: password), for: FeedAddress("https://e.org"))
    }
    let file = directory + "/credentials.json"
    for (path, mode) in [(file, 0o600), (directory, 0o700)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode, "\(path)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 1)
  }

  @Test func aFileThatIsNoneIsSaidToBeSo() throws {
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    try Data("[".utf8).write(to: URL(filePath: directory + "/credentials.json"))
    let error = #expect(throws: LibraryError.self) { try load() }
    #expect(error?.code == .configuration)
    #expect(error?.hint != nil)
  }
}
