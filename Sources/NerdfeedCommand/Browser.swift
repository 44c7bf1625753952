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
    let status: Int32
    do {
      status = try BrowserProcess.run([name, link], inBackground: isInBackground)
    } catch {
      throw failure(.configuration, "\(name) cannot be started: \(error)", hint: hint)
    }
    guard status == 0 else {
      throw failure(.configuration, "\(name) ended with \(status)", hint: hint)
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
