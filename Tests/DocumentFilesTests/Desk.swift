import DocumentFiles
import FileCoordination
import Foundation
import Synchronization
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// A folder of documents, a place for kept versions, and any number of programs that share both.
final class Desk: Sendable {
  let directory: TemporaryDirectory
  let time = TestTime()
  private let domains = Mutex<[CoordinationDomain]>([])
  private let hook = Mutex<(@Sendable (DocumentAmbient.Step) throws -> Void)?>(nil)
  private let numbers = Mutex<UInt64>(0)

  init() throws {
    directory = try TemporaryDirectory()
    for name in ["state", "documents"] { try makeFolder(directory.path.appending(name)) }
  }

  /// A desk with a document `a.txt`, which has the contents `old`.
  static func withDocument() throws -> (Desk, DocumentFolder) {
    let desk = try Desk()
    try desk.write("a.txt", "old")
    return (desk, try desk.folder())
  }

  deinit { for domain in domains.withLock({ $0 }) { domain.close() } }

  private static let start: Int64 = 1_795_900_000
  /// Seconds since 1970, as programs have it here.
  var now: Int64 { Self.start + time.now.components.seconds }

  var state: FilePath { directory.path.appending("state") }
  var root: FilePath { directory.path.appending("documents") }
  var kept: FilePath { state.appending("versions").appending("c0ffee") }

  func makeFolder(_ path: FilePath) throws {
    try LinuxFileSystem().makeDirectory(path, mode: 0o700)
  }

  /// A program's part in coordination.
  func domain() throws -> CoordinationDomain {
    let domain = CoordinationDomain(
      node: CoordinationNode(place: try CoordinationPlace(state.appending("coordination"))))
    _ = try domain.report()
    domains.withLock { $0.append(domain) }
    return domain
  }

  /// A program's view of the folder; its time is this desk's, its watching is real if wanted.
  func folder(
    _ domain: CoordinationDomain? = nil, isWatching: Bool = false,
    waiting: AccessWaiting = AccessWaiting(), adapting: (inout DocumentAmbient) -> Void = { _ in }
  ) throws -> DocumentFolder {
    var ambient = DocumentAmbient(
      now: { [time] in Self.start + time.now.components.seconds },
      uptime: { [time] in time.now }, sleep: { [time] in await time.sleep($0) },
      random: { [self] in
        numbers.withLock { number in
          number += 1
          return number
        }
      }, machine: "test-desk.local")
    if !isWatching { ambient.watch = { _ in .init(changes: AsyncStream { $0.finish() }) } }
    ambient.onStep = { [self] step in try hook.withLock { $0 }?(step) }
    adapting(&ambient)
    return try DocumentFolder(
      root, keeping: kept, domain: try domain ?? self.domain(), ambient: ambient,
      waiting: waiting)
  }

  /// Has something happen at steps of saving and removing.
  func atSteps(_ body: (@Sendable (DocumentAmbient.Step) throws -> Void)?) {
    hook.withLock { $0 = body }
  }

  // MARK: Files, as a syncer or another program handles them

  func path(_ name: String) -> FilePath { FilePath("\(root)/\(name)") }

  /// Writes a file as a syncer does: beside, then by its name.
  func write(_ name: String, _ text: String) throws {
    try text.write(toFile: "\(root)/.syncthing.new.tmp", atomically: false, encoding: .utf8)
    try LinuxFileSystem().rename(path(".syncthing.new.tmp"), to: path(name))
  }

  func read(_ name: String) throws -> String {
    try String(contentsOfFile: path(name).string, encoding: .utf8)
  }

  func remove(_ name: String) throws { try LinuxFileSystem().remove(path(name)) }

  /// All names in the folder.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: root.string).sorted() }
  }

  /// A name as Syncthing gives it to a conflict copy.
  static func copy(_ stem: String, _ ending: String = ".txt", time: String = "101500") -> String {
    "\(stem).sync-conflict-20260131-\(time)-ABCDEFG\(ending)"
  }
}

/// Time that passes when a test says so.
final class TestTime: Sendable {
  private struct State {
    var now = Duration.zero
    var sleepers: [(due: Duration, continuation: CheckedContinuation<Void, Never>)] = []
  }
  private let state = Mutex(State())

  var now: Duration { state.withLock { $0.now } }
  /// When those wake that sleep now.
  var due: [Duration] { state.withLock { $0.sleepers.map(\.due).sorted() } }

  func sleep(_ time: Duration) async {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        state.sleepers.append((state.now + time, continuation))
      }
    }
  }

  func advance(by time: Duration) {
    let woken = state.withLock { state in
      state.now += time
      let now = state.now
      let woken = state.sleepers.filter { $0.due <= now }
      state.sleepers.removeAll { $0.due <= now }
      return woken
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }

  deinit { for sleeper in state.withLock({ $0.sleepers }) { sleeper.continuation.resume() } }
}

/// Waits for what another task brings about; false if it does not come.
func eventually(
  seconds: Double = 20, _ condition: @Sendable () async throws -> Bool
) async rethrows -> Bool {
  let deadline = Date(timeIntervalSinceNow: seconds)
  while Date() < deadline {
    if try await condition() { return true }
    try? await Task.sleep(for: .milliseconds(2))
  }
  return false
}

/// Collects a document's events.
actor EventLog {
  private(set) var events: [DocumentEvent] = []
  private(set) var isOver = false

  init(_ document: DocumentFile<String>) {
    let stream = document.events
    Task { await self.collect(stream) }
  }

  private func collect(_ stream: AsyncStream<DocumentEvent>) async {
    for await event in stream { events.append(event) }
    isOver = true
  }

  var states: [DocumentState] {
    events.compactMap { if case .state(let state) = $0 { state } else { nil } }
  }
}

/// What somebody was told, in order.
final class Heard: Sendable {
  private let all = Mutex<[String]>([])
  var lines: [String] { all.withLock { $0 } }
  func note(_ line: String) { all.withLock { $0.append(line) } }
}
