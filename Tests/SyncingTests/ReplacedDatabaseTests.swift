import DocumentStorage
import SharedFolder
import Syncing
import SystemPackage
import Testing

@Suite("A database in whose place a backup of it is put") struct ReplacedDatabaseTests {
  private let world: World
  private let house: Household
  private let folder: FilePath
  /// What was opened before.
  private let before: Peer

  init() throws {
    (world, house, folder) = try RecoveryScene.newcomer()
    before = try house.open()
    try before.put("mine", #"{"n":1}"#)
    try before.publish()
  }

  private var state: FilePath { house.directory.directory(of: world.marker.container) }
  private var expected: StorageError { .replaced(state.appending("store.sqlite")) }

  private func putBack() throws {
    let backup = FilePath(state.string + ".backup")
    try house.copy(state, to: backup)
    try house.removeTree(state)
    try house.move(backup, to: state)
  }

  /// Something of another device arrives.
  private func receive() throws {
    let ann = try world.peer("ann", in: world.folder("ann"))
    try ann.put("theirs", #"{"n":1}"#)
    try ann.publish()
    for file in try world.logs(in: ann.folder) { try world.deliver(file, to: folder) }
  }

  @Test("takes no more writes of who had opened it before: nobody would read them")
  func writes() throws {
    try before.put("mine", #"{"n":2}"#)
    try putBack()
    #expect(throws: expected) { try before.put("mine", #"{"n":3}"#) }
    #expect(try before.body("mine") == #"{"n":2}"#)
    let after = try house.open()
    try after.put("mine", #"{"n":4}"#)
    #expect(try after.body("mine") == #"{"n":4}"#)
  }

  @Test("ends a watch, whose imports nobody would see")
  func watch() throws {
    var loop = WatchLoop(device: before.device)
    _ = try loop.scan(nil)
    try putBack()
    try receive()
    #expect(throws: expected) { try loop.scan(nil) }
    let after = try house.open()
    try after.importAll()
    #expect(try after.body("theirs") == #"{"n":1}"#)
  }

  @Test("ends a watch also where that has only to note what it has published")
  func publishing() throws {
    try before.put("mine", #"{"n":2}"#)
    var loop = WatchLoop(device: before.device)
    try putBack()
    #expect(throws: expected) { try loop.scan(nil) }
  }

  @Test("takes no more writes where it is made anew, and does not say that the device has left")
  func madeAnew() throws {
    _ = try house.directory.rebuild(container: folder, fallbackName: "me", process: "1")
    #expect(throws: expected) { try before.put("mine", #"{"n":2}"#) }
    #expect(try house.open().body("mine") == #"{"n":1}"#)
  }

  @Test("takes no more writes where it is only gone")
  func gone() throws {
    try house.removeTree(state)
    #expect(throws: expected) { try before.put("mine", #"{"n":2}"#) }
  }
}
