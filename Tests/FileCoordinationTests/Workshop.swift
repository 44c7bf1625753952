import FileCoordination
import Foundation
import Synchronization
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// A folder of files, and any number of parts in coordination, each as a process of its own is.
final class Workshop: Sendable {
  let directory: TemporaryDirectory
  private let domains = Mutex<[CoordinationDomain]>([])

  init() throws {
    directory = try TemporaryDirectory()
    for name in ["state", "files"] { try Self.makeFolder(directory.path.appending(name)) }
  }

  deinit { for domain in domains.withLock({ $0 }) { domain.close() } }

  static func makeFolder(_ path: FilePath) throws {
    try LinuxFileSystem().makeDirectory(path, mode: 0o700)
  }

  var state: FilePath { directory.path.appending("state") }
  var files: FilePath { directory.path.appending("files") }
  var coordination: FilePath { state.appending("coordination") }

  func file(_ name: String, _ content: String? = nil) throws -> FilePath {
    let path = files.appending(name)
    if let content { try Self.write(content, to: path) }
    return path
  }

  static func write(_ text: String, to path: FilePath) throws {
    try text.write(toFile: path.string, atomically: false, encoding: .utf8)
  }

  static func read(_ path: FilePath) throws -> String {
    try String(contentsOfFile: path.string, encoding: .utf8)
  }

  /// Another part: the first one is the arbiter, the others reach it by the socket.
  ///
  /// - parameters:
  ///   - isSilent: whether it connects only when it is used, and has asked nothing yet.
  ///   - threads: where its threads come from.
  func domain(
    isSilent: Bool = false, threads: ThreadSupply = ThreadSupply()
  ) throws -> CoordinationDomain {
    let domain = CoordinationDomain(
      node: CoordinationNode(
        place: try CoordinationPlace(coordination),
        startThread: { body throws(Errno) in try threads.start(body) }))
    if !isSilent { _ = try domain.report() }
    domains.withLock { $0.append(domain) }
    return domain
  }
}

/// What happened, in order, as several threads saw it.
final class Journal: Sendable {
  private let lines = Mutex<[String]>([])
  private let changed = NSCondition()

  func note(_ line: String) {
    lines.withLock { $0.append(line) }
    changed.lock()
    changed.broadcast()
    changed.unlock()
  }

  var all: [String] { lines.withLock { $0 } }

  /// Waits until a line is there as often as wanted; false if it does not come.
  @discardableResult
  func wait(for line: String, count: Int = 1, seconds: Double = 20) -> Bool {
    let deadline = Date(timeIntervalSinceNow: seconds)
    changed.lock()
    defer { changed.unlock() }
    while all.count(where: { $0 == line }) < count {
      guard changed.wait(until: deadline) else { return false }
    }
    return true
  }
}

/// Runs something on a thread of its own, and can be waited for.
final class Worker: Sendable {
  private let done = DispatchSemaphore(value: 0)
  private let failure = Mutex<(any Error)?>(nil)

  init(_ body: @escaping @Sendable () throws -> Void) {
    Thread.detachNewThread { [self] in
      do { try body() } catch { failure.withLock { $0 = error } }
      done.signal()
    }
  }

  /// Waits for its end, and throws what it threw.
  func join(seconds: Double = 60) throws {
    try #require(done.wait(timeout: .now() + seconds) == .success, "a thread hangs")
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}

extension CoordinationDomain {
  private func waiters() throws -> Int {
    try report().claims.count { $0.state == .waiting || $0.state == .asking }
  }

  /// Waits until so many claims wait.
  func waitForWaiters(_ count: Int) throws {
    try waitUntil(orSay: "nobody waits") { try waiters() >= count }
  }

  /// Waits until so many claims of tasks wait, without keeping a thread from them.
  func waitForWaiters(_ count: Int) async throws {
    try await waitUntil(orSay: "nobody waits") { try waiters() >= count }
  }
}
