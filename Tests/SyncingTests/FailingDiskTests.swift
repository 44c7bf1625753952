import DocumentStorage
import Foundation
import SystemPackage
import Testing

/// Pages of the log that the disk has failed to take are never written again: a log with a gap ends
/// there, whatever was acknowledged behind it.
@Suite("A database whose disk has failed once") struct FailingDiskTests {
  private let world: TwoAuthors
  private let state: FilePath
  private let log: FilePath

  init() throws {
    world = try TwoAuthors(.real)
    state = world.world.root.appending("state")
    log = state.appending("store.sqlite-wal")
    try world.world.files.makeDirectory(state, mode: 0o700)
  }

  private func peer() throws -> Peer {
    let peer = try world.world.peer(
      "dev", in: try world.world.folder("shared"), database: StoreDatabase(directory: state))
    try peer.put("1", #"{"n":1}"#)
    // Notes that without waiting for the disk.
    try peer.publish()
    return peer
  }

  private static func ids(_ peer: Peer) throws -> [String] {
    var found: [String] = []
    try peer.device.database.forEachDocument { key, _ in found.append("\(key.id)") }
    return found.sorted()
  }

  /// The numbers of the log: others each time that it is begun.
  private func salt() throws -> Data {
    let header = try Data(contentsOf: URL(filePath: log.string)).prefix(32)
    try #require(header.count == 32)
    return header.suffix(16).prefix(8)
  }

  @Test("writes on in the same log as long as nothing fails")
  func control() throws {
    let peer = try peer()
    let before = try salt()
    try peer.put("2", #"{"n":2}"#)
    #expect(try salt() == before)
  }

  @Test("begins its log anew before it acknowledges anything else")
  func commitFails() throws {
    let peer = try peer()
    let before = try salt()
    try FailingWrites.failNext(to: log)
    let error = #expect(throws: StorageError.self) { try peer.put("2", #"{"n":2}"#) }
    guard case .failed = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try peer.put("3", #"{"n":3}"#)
    #expect(try salt() != before)
    #expect(try Self.ids(peer) == ["1", "3"])
  }

  @Test("begins its log anew, too, if what failed was to write the log into the database")
  func checkpointFails() throws {
    let peer = try peer()
    let database = state.appending("store.sqlite")
    let before = try salt()
    let text = String(repeating: "0123456789abcdef", count: 320_000)
    try FailingWrites.failNext(to: database)
    // The commit succeeds; the log is large enough to be written into the database.
    try peer.put("2", #"{"n":"\#(text)"}"#)
    #expect(FailingWrites.remaining(of: database) == 0)
    #expect(try salt() == before)
    try peer.put("3", #"{"n":3}"#)
    #expect(try salt() != before)
  }

  @Test("does not acknowledge anything as long as the disk goes on failing")
  func failsAgain() throws {
    let peer = try peer()
    let database = state.appending("store.sqlite")
    try FailingWrites.failNext(to: log)
    // When the log is to be begun anew: at once, and before the next write.
    try FailingWrites.failNext(2, to: database)
    #expect(throws: StorageError.self) { try peer.put("2", #"{"n":2}"#) }
    #expect(FailingWrites.remaining(of: database) == 1)
    #expect(throws: StorageError.self) { try peer.put("3", #"{"n":3}"#) }
    #expect(FailingWrites.remaining(of: database) == 0)
    try peer.put("4", #"{"n":4}"#)
    #expect(try Self.ids(peer) == ["1", "4"])
  }

  @Test("leaves no doubtful log to other processes that have it open")
  func others() throws {
    let peer = try peer()
    let other = try StoreDatabase(directory: state)
    #expect(try other.counts().documents == 1)
    try FailingWrites.failNext(to: log)
    #expect(throws: StorageError.self) { try peer.put("2", #"{"n":2}"#) }
    #expect(try Data(contentsOf: URL(filePath: log.string)).isEmpty)
    #expect(try other.counts().documents == 1)
  }
}
