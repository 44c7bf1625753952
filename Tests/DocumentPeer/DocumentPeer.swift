import DocumentFiles
import FileCoordination
import Foundation
import Synchronization
import SystemPackage

/// A program that has a document open, for checks that do with it what a user would.
///
///     DocumentPeer STATE FOLDER KEPT FILE
///
/// Each line of its input has one line in answer: `edit TEXT`, `save` and
/// `resolve current|conflict` have `done` or `failed: …`, `show` has `STATE saved|unsaved TEXT`. It
/// closes the document, which saves, when its input ends.
@main
struct DocumentPeer {
  static func main() {
    let words = CommandLine.arguments.dropFirst().map { FilePath($0) }
    do {
      guard words.count == 4 else { throw Complaint.usage }
      let folder = try DocumentFolder(
        words[1], keeping: words[2], domain: try CoordinationDomain.inState(words[0]))
      let file = words[3]
      let document = try waiting { try await DocumentFile<String>.open(file, in: folder) }
      say("open")
      while let line = readLine() { say(answer(line, document)) }
      try waiting { try await document.close() }
      say("closed")
    } catch {
      say("failed: \(error)")
      exit(1)
    }
  }

  enum Complaint: Error {
    case usage
    case noVersion
  }

  private static func answer(_ line: String, _ document: DocumentFile<String>) -> String {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    let rest = words.count > 1 ? words[1] : ""
    do {
      switch words.first {
      case "edit": try waiting { try await document.edit { $0 = rest } }
      case "save": try waiting { try await document.save() }
      case "resolve": try waiting { try await resolve(document, keeping: rest) }
      case "show": return try waiting { await shown(document) }
      default: throw Complaint.usage
      }
      return "done"
    } catch {
      return "failed: \(error)"
    }
  }

  private static func shown(_ document: DocumentFile<String>) async -> String {
    let isUnsaved = await document.hasUnsavedChanges
    return "\(await document.state) \(isUnsaved ? "unsaved" : "saved") \(await document.contents)"
  }

  private static func resolve(
    _ document: DocumentFile<String>, keeping kind: String
  ) async throws {
    let (folder, path) = (document.folder, document.path)
    let version =
      kind == "current"
      ? try folder.currentVersion(of: path)
      : try folder.unresolvedConflictVersions(of: path)?.first
    guard let version else { throw Complaint.noVersion }
    try await document.resolve(keeping: version)
  }

  /// Runs what is asynchronous while this thread waits, which is none that tasks share.
  private static func waiting<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    let outcome = Outcome<Value>()
    let task = Task {
      do { outcome.set(.success(try await body())) } catch { outcome.set(.failure(error)) }
    }
    defer { _ = task }
    return try outcome.get()
  }

  /// Writes a line at once, whatever standard output is.
  private static func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }
}

/// What a task comes to, for a thread that waits for it.
private final class Outcome<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  func set(_ new: Result<Value, any Error>) {
    result.withLock { $0 = new }
    isThere.signal()
  }

  func get() throws -> Value {
    isThere.wait()
    guard let result = result.withLock({ $0 }) else { throw DocumentPeer.Complaint.usage }
    return try result.get()
  }
}
