import FeedLibrary
import FeedSync
import Foundation

/// The program that shows pages: $BROWSER, else what xdg-open knows.
enum Browser {
  /// Whether it shows pages in the terminal, and so needs that for itself.
  static var needsTerminal: Bool { choice.needsTerminal }

  private static var choice: BrowserChoice {
    let environment = ProcessInfo.processInfo.environment
    return BrowserChoice(environment["BROWSER"] ?? "") { name in
      let directories = name.contains("/") ? [] : (environment["PATH"] ?? "").split(separator: ":")
      let files = name.contains("/") ? [name] : directories.map { "\($0)/\(name)" }
      return files.contains { FileManager.default.isExecutableFile(atPath: $0) }
    }
  }

  /// Opens a page.
  ///
  /// - parameter isInBackground: Whether it gets no terminal, which another program has.
  /// - throws: ``LibraryError`` if the program cannot be started, or fails.
  static func open(_ link: String, inBackground isInBackground: Bool = false) throws {
    let choice = choice
    let name = choice.name
    let hint = "set BROWSER to the program that shows pages, such as 'firefox --new-window %s'"
    let status: Int32
    do {
      status = try BrowserProcess.run(
        choice.words(opening: link), inBackground: isInBackground)
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
