import DocumentStorage
import Foundation
import Syncing
import SystemPackage
import Testing

/// The parts of an import write many of the same pages again: who writes those into the database
/// after each part writes them several times.
@Suite("The log of a database while much is imported") struct ImportLogTests {
  private static let parts = 3
  private let world: World
  private let reader: Peer
  private let state: FilePath

  init() throws {
    world = try World(.real)
    state = world.root.appending("state")
    try world.files.makeDirectory(state, mode: 0o700)
    let folder = try world.folder("shared")
    let author = try world.peer("author", in: folder)
    // More than a log has pages otherwise before they are written into the database.
    let text = String(repeating: "0123456789abcdef", count: 320_000)
    for number in 1...Self.parts {
      try author.put("\(number)", #"{"n":"\#(text)"}"#)
      try author.publish()
    }
    reader = try world.peer(
      "reader", in: folder, database: StoreDatabase(directory: state))
  }

  /// The bytes of the database, without its log.
  private func size() throws -> Int64 {
    try world.files.status(of: state.appending("store.sqlite")).size
  }

  private func importer() -> Importer {
    Importer(
      device: reader.device, limits: ImportPart.Limits(operations: 1, bytes: 1, foldBytes: 1 << 20))
  }

  @Test("is written into the database once all parts are committed, and not with each")
  func once() throws {
    let before = try size()
    let importer = importer()
    var sizes: [Int64] = []
    importer.onPart = { _ in sizes.append(try size()) }
    #expect(try importer.importAll().segments == Self.parts)
    #expect(sizes == Array(repeating: before, count: Self.parts))
    #expect(try size() > before + 15_000_000)
  }

  @Test("is written into the database, too, where the import ends early or fails")
  func fails() throws {
    struct Refusal: Error {}
    let before = try size()
    let importer = importer()
    importer.onPart = { _ in throw Refusal() }
    #expect(throws: Refusal.self) { try importer.importAll() }
    #expect(try size() > before + 5_000_000)
  }

  @Test("counts as doubtful if the disk fails as it is written into the database")
  func diskFails() throws {
    let database = state.appending("store.sqlite")
    let log = state.appending("store.sqlite-wal")
    try FailingWrites.failNext(to: database)
    // What was imported is committed, and told.
    #expect(try importer().importAll().segments == Self.parts)
    #expect(FailingWrites.remaining(of: database) == 0)
    #expect(try world.files.status(of: log).size > 15_000_000)
    try reader.put("4", #"{"n":4}"#)
    #expect(try world.files.status(of: log).size < 5_000_000)
  }
}
