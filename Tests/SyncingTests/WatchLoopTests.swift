import DocumentStorage
import GRDB
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// What a watch does about a scan that fails (lessons.md 25).
@Suite("A watch whose scan has failed") struct WatchLoopTests {
  private let world: World
  private let fake: InMemoryFileSystem
  private let ann: Peer
  private let bob: Peer
  private let cem: Peer

  init() throws {
    world = try World()
    fake = try #require(world.fake)
    let folder = try world.folder("shared")
    ann = try world.peer("ann", in: folder)
    bob = try world.peer("bob", in: folder)
    cem = try world.peer("cem", in: folder)
    for peer in [bob, cem] {
      try peer.put("from-\(peer.directory.string)", "{}")
      try peer.publish()
    }
  }

  private func set(marker bytes: [UInt8]?) {
    let path = ann.folder.appending(Marker.name)
    fake.removeTree(path)
    if let bytes { fake.put(path, bytes) }
  }

  @Test("looks at everything once it can, whatever it was told of meanwhile")
  func everything() throws {
    var loop = WatchLoop(device: ann.device)
    set(marker: nil)
    let failed = try loop.scan([bob.directory])
    #expect(failed.contains { if case .failed = $0 { true } else { false } })
    set(marker: world.marker.bytes)
    let events = try loop.scan([cem.directory])
    #expect(events.contains { if case .recovered = $0 { true } else { false } })
    for peer in [bob, cem] { #expect(try ann.body("from-\(peer.directory.string)") == "{}") }
    #expect(loop.retryDelay == nil)
  }

  @Test("goes on after a marker that a syncer was writing in place")
  func halfWrittenMarker() throws {
    var loop = WatchLoop(device: ann.device)
    for count in [0, 9] {
      set(marker: Array(world.marker.bytes.prefix(count)))
      _ = try loop.scan(nil)
      #expect(loop.retryDelay != nil)
    }
    set(marker: world.marker.bytes)
    let events = try loop.scan(nil)
    #expect(events.contains { if case .recovered = $0 { true } else { false } })
    #expect(try ann.body("from-\(bob.directory.string)") == "{}")
  }

  @Test("ends where a newer program has upgraded the database, also if it has only to publish")
  func upgraded() throws {
    var loop = WatchLoop(device: ann.device)
    _ = try loop.scan(nil)
    try ann.put("mine", "{}", isPublishedAtOnce: false)
    try ann.device.database.write { db in try db.execute(sql: "PRAGMA user_version = 99") }
    #expect {
      try loop.scan(nil)
    } throws: { error in
      if case StorageError.newerSchema(_, 99, _) = error { true } else { false }
    }
  }

  @Test("goes on from one that had failed: it tells that this is mended once its own look succeeds")
  func goesOnFromAnother() throws {
    func isRecovery(_ event: WatchEvent) -> Bool {
      if case .recovered = event { true } else { false }
    }
    var loop = WatchLoop(device: ann.device, isFailing: true)
    set(marker: nil)
    #expect(try !loop.scan(nil).contains(where: isRecovery))
    set(marker: world.marker.bytes)
    #expect(try loop.scan(nil).filter(isRecovery).count == 1)
    var other = WatchLoop(device: ann.device, isFailing: true)
    #expect(try other.scan(nil).filter(isRecovery).count == 1)
    #expect(try other.scan(nil).isEmpty)
  }

  @Test("tries again soon, then ever later, and soon again after a success")
  func delays() throws {
    var loop = WatchLoop(device: ann.device)
    set(marker: nil)
    var delays: [Duration] = []
    for _ in 0..<9 {
      _ = try loop.scan(nil)
      delays.append(try #require(loop.retryDelay))
    }
    #expect(delays.prefix(3) == [.seconds(5), .seconds(10), .seconds(20)])
    #expect(delays.last == .seconds(60))
    set(marker: world.marker.bytes)
    _ = try loop.scan(nil)
    set(marker: nil)
    _ = try loop.scan(nil)
    #expect(loop.retryDelay == .seconds(5))
  }

  @Test("and soon again where something else fails than before, since it may be on its way back")
  func otherFailures() throws {
    var loop = WatchLoop(device: ann.device)
    set(marker: nil)
    for _ in 0..<9 { _ = try loop.scan(nil) }
    set(marker: Array(world.marker.bytes.prefix(9)))
    _ = try loop.scan(nil)
    #expect(loop.retryDelay == .seconds(5))
    _ = try loop.scan(nil)
    #expect(loop.retryDelay == .seconds(10))
  }
}
