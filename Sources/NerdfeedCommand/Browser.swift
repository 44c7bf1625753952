import FeedLibrary
import FeedSync
import Foundation

/// The program that shows pages: $BROWSER, else what xdg-open knows.
enum Browser {
  /// Those that show pages in the terminal, and so need it for themselves.
  private static let textual: Set<Substring> = [
    "w3m", "lynx", "links", "links2", "elinks", "browsh", "cha",
  ]

  /// Whether it is one of these.
  static var needsTerminal: Bool { textual.contains(name.split(separator: "/").last ?? "") }

  private static var name: String {
    let browser = ProcessInfo.processInfo.environment["BROWSER"] ?? ""
    return browser.split(separator: ":").first.map { String($0) } ?? "xdg-open"
  }

  /// Opens a page.
  ///
  /// - parameter isInBackground: Whether it gets no terminal, which another program has.
  /// - throws: ``LibraryError`` if the program cannot be started, or fails.
  static func open(_ link: String, inBackground isInBackground: Bool = false) throws {
    let name = name
    let hint = "set BROWSER to the program that shows pages"
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name, link]
    if isInBackground {
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
    }
    do {
      try process.run()
    } catch {
      throw failure(.configuration, "\(name) cannot be started: \(error)", hint: hint)
    }
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw failure(
        .configuration, "\(name) ended with \(process.terminationStatus)", hint: hint)
    }
  }

  static func failure(
    _ code: FeedSyncError.Code, _ message: String, hint: String
  ) -> LibraryError {
    let operation = "open the page"
    return LibraryError(
      .store(FeedSyncError(code, operation: operation, message: message, hint: hint)),
      operation: operation)
  }
}
