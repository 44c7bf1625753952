import FeedSync
import Foundation
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// What a program can do about a lost device or database, and what it is told.
@Suite struct RecoveryTests {
  private let place: Place
  private let ann: DocumentStore

  init() throws {
    place = try Place()
    ann = try place.store("ann")
    try ann.write { try $0.put(["n": 1], at: "x", in: "n") }
  }

  private func device(_ id: String, in store: DocumentStore) throws -> StoreStatus.Device {
    try #require(try store.status().devices.first { $0.device.id == id })
  }

  @Test func aRebuiltStoreKnowsWhichDeviceItWas() throws {
    let former = ann.container.thisDevice
    let before = try device(former.id, in: ann)
    #expect(before.isThisDevice && !before.isFormer && before.branches == 1)
    let summary = try UbiquityContainer.rebuild(place.folder.path, state: place.state("ann"))
    #expect(summary.recovered == 0 && summary.unreadable == 0 && summary.removals == 0)
    #expect(summary.failure == nil)
    #expect(summary.oldState.map { FileManager.default.fileExists(atPath: $0) } == true)
    let new = DocumentStore(summary.container)
    try new.importAll()
    let after = try device(former.id, in: new)
    #expect(!after.isThisDevice && after.isFormer && after.transactions == 1)
    #expect(try new.status().devices.count { $0.isThisDevice } == 1)
  }

  @Test func aRetiredDeviceHasTheTimeSinceWhenItIs() throws {
    let bob = try place.store("bob")
    try bob.importAll()
    let lost = ann.container.thisDevice
    #expect(try device(lost.id, in: bob).retiredAt == nil)
    let now = Date()
    try bob.retire(lost.id)
    let since = try #require(try device(lost.id, in: bob).retiredAt)
    #expect(abs(since.timeIntervalSince(now)) < 60)
    #expect(throws: FeedSyncError.self) { try bob.retire("nobody") }
    let own = bob.container.thisDevice.id
    let refused = #expect(throws: FeedSyncError.self) { try bob.retire(own) }
    #expect(refused?.code == .usage)
  }

  @Test func aRetiredDeviceIsNotTakenToBeBackWhereAStoreIsRebuilt() throws {
    let bob = try place.store("bob")
    try bob.importAll()
    let lost = ann.container.thisDevice
    try bob.retire(lost.id)
    let rebuilt = DocumentStore(
      try UbiquityContainer.rebuild(place.folder.path, state: place.state("bob")).container)
    try rebuilt.importAll()
    let after = try device(lost.id, in: rebuilt)
    #expect(after.retiredAt != nil && after.returnedAt == nil)
    try ann.write { try $0.put(["n": 2], at: "x", in: "n") }
    try rebuilt.importAll()
    #expect(try device(lost.id, in: rebuilt).returnedAt != nil)
  }

  @Test func aRetiredDeviceIsBackWhereARebuiltStoreFindsMoreOfIt() throws {
    let bob = try place.store("bob")
    try bob.importAll()
    let lost = ann.container.thisDevice
    try bob.retire(lost.id)
    try ann.write { try $0.put(["n": 2], at: "x", in: "n") }
    let rebuilt = DocumentStore(
      try UbiquityContainer.rebuild(place.folder.path, state: place.state("bob")).container)
    try rebuilt.importAll()
    #expect(try device(lost.id, in: rebuilt).returnedAt != nil)
  }

  @Test func aStoreWithNothingToAdoptSaysSo() throws {
    let error = #expect(throws: FeedSyncError.self) {
      try UbiquityContainer.adopt(place.folder.path, state: place.state("ann"))
    }
    #expect(error?.code == .noContainer)
  }

  @Test func aRebuildBesideAnotherIsNotToldThatThatWatches() throws {
    let state = FilePath(place.state("ann")).appending(ann.container.id)
    let lock = try WatchLock(state: state, files: LinuxFileSystem(), process: "7")
    defer { lock.release() }
    let error = #expect(throws: FeedSyncError.self) {
      try UbiquityContainer.rebuild(place.folder.path, state: place.state("ann"))
    }
    #expect(error?.code == .tryAgain)
    #expect(error?.message.hasPrefix("process 7 watches this device, or is rebuilding") == true)
    #expect(error?.hint?.hasPrefix("wait until that is done") == true)
  }
}
