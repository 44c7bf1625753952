import CanonicalJSON
import DocumentStorage
import Foundation
import GRDB
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// A device as an older version left it: fixtures/stores/version-N, copied.
///
/// `fixtures/stores/README.md` says what is in it and how it was made.
final class OldStore: Sendable {
  let version: Int
  let root: URL
  let container: ContainerID
  private let fixture: URL

  static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "fixtures/stores")

  /// The versions that there is a fixture of.
  static let versions: [Int] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: fixtures.path)) ?? []
    return names.compactMap { name in
      name.hasPrefix("version-") ? Int(name.dropFirst("version-".count)) : nil
    }.sorted()
  }()

  init(version: Int) throws {
    self.version = version
    fixture = Self.fixtures.appending(path: "version-\(version)")
    root = FileManager.default.temporaryDirectory
      .appending(path: "feedsync-migration-\(UUID().uuidString)").resolvingSymlinksInPath()
    let folder = root.appending(path: "folder")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: fixture.appending(path: "folder"), to: folder)
    let marker = try Marker(
      parsing: [UInt8](Data(contentsOf: folder.appending(path: "feedsync.container"))),
      file: "feedsync.container")
    container = marker.container
    let state = root.appending(path: "state/\(container)")
    try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: fixture.appending(path: "store.sqlite"), to: state.appending(path: "store.sqlite"))
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  var state: FilePath { FilePath(root.path).appending("state") }
  var folder: FilePath { FilePath(root.path).appending("folder") }
  var directory: FilePath { state.appending(container.description) }
  var database: FilePath { directory.appending("store.sqlite") }

  /// Opens the device, whose folder was elsewhere when the fixture was made.
  func open() throws -> Device {
    try DeviceDirectory(root: state, files: LinuxFileSystem(), ambient: .fixed)
      .open(container: folder)
  }

  /// What the old binary's `dump`, `status` and so on printed.
  func expected(_ name: String) throws -> String {
    try String(contentsOf: fixture.appending(path: name), encoding: .utf8)
  }

  /// What the old binary's `status --format json` printed.
  func expectedStatus() throws -> JSONObject {
    let json = try JSON(parsing: Array(expected("status.json").utf8))
    guard case .object(let object) = json else { throw Errno.invalidArgument }
    return object
  }

  /// Reads or changes the file as it is, without migrating it.
  func raw<Value>(_ body: (Database) throws -> Value) throws -> Value {
    let queue = try DatabaseQueue(path: database.string)
    defer { try? queue.close() }
    return try queue.writeWithoutTransaction(body)
  }

  func rawVersion() throws -> Int? {
    try raw { db in try Int.fetchOne(db, sql: "PRAGMA user_version") }
  }

  func tables() throws -> [String] {
    try raw { db in try Structure.of(db) }
  }
}

/// What a database is made of.
enum Structure {
  /// The statements that make its tables and indexes, without what the user has declared and
  /// SQLite's own.
  static func of(_ db: Database) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT GLOB 'member_*'
          AND name NOT GLOB 'sqlite_*' ORDER BY type, name
        """)
  }
}

extension Ambient {
  /// A clock that stands still, after all that the fixtures hold.
  static let fixed = Ambient(
    now: { 4_000_000_000_000 }, random: { UInt64.random(in: .min ... .max) })
}

extension Device {
  /// All documents, as `dump` prints them.
  func dump() throws -> String {
    var lines = ""
    try database.forEachDocument { key, body in
      var line = Array(#"{"body":"#.utf8) + body + Array(#","collection":"#.utf8)
      JSON.writeString(key.collection, into: &line)
      line += Array(#","id":"#.utf8)
      JSON.writeString(key.id, into: &line)
      lines += String(decoding: line, as: UTF8.self) + "}\n"
    }
    return lines
  }
}

extension JSONObject {
  func number(_ key: ByteString) -> Int64? {
    if case .integer(let value) = self[key] { value } else { nil }
  }

  func array(_ key: ByteString) -> [JSONObject] {
    guard case .array(let array) = self[key] else { return [] }
    return array.compactMap { if case .object(let object) = $0 { object } else { nil } }
  }

  func text(_ key: ByteString) -> String? {
    if case .string(let text) = self[key] { text.description } else { nil }
  }
}
