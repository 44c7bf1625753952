import FeedSync
import Foundation
import SharedFolder
import Syncing
import SystemFiles
import Testing

/// U1 to U5: whose container a folder is, and whether it is there.
@Suite(.timeLimit(.minutes(5))) struct ContainerIdentityTests {
  let place: Place
  let store: DocumentStore
  var container: UbiquityContainer { store.container }

  init() throws {
    place = try Place()
    store = try place.store()
  }

  /// Puts another container under the folder's path.
  private func replaceContainer() throws {
    try place.setFolder(isAway: true)
    try FileManager.default.createDirectory(at: place.folder, withIntermediateDirectories: true)
    _ = try UbiquityContainer.join(place.folder.path, state: place.state("other"))
  }

  @Test func u1_aContainerThatIsAwaySaysSoAndOpensAllTheSame() throws {
    #expect(try container.absence() == nil)
    try place.setFolder(isAway: true)
    #expect(try container.absence()?.code == .noContainer)
    let opened = try UbiquityContainer(place.folder.path, state: place.state("ann"))
    #expect(opened.id == container.id)
    #expect(try opened.absence() != nil)
    let never = #expect(throws: FeedSyncError.self) {
      try UbiquityContainer(place.folder.path, state: place.state("stranger"))
    }
    #expect(never?.code == .noContainer)
  }

  @Test func u1_aContainerWhoseFileSystemAnswersAgainIsThere() throws {
    let device = store.device
    let silent = ContainerFolder(root: device.container.root, files: UnreachableFileSystem())
    // As it was opened while a network file system did not answer; it does now.
    let opened = try UbiquityContainer(
      device: Syncing.Device(
        record: device.record, database: device.database, container: silent,
        ambient: device.ambient))
    #expect(try opened.absence() == nil)
    #expect(try KeyValueStore(DocumentStore(opened)).synchronize())
    #expect(try opened.documents().documents().isEmpty)
  }

  @Test func u2_theTokenIsTheSameForOneUserOfOneContainer() throws {
    let token = try #require(container.identityToken)
    #expect(token == container.ownIdentityToken)
    #expect(token == (try place.store("ben").container.identityToken))
    #expect(token == UbiquityContainer.identityToken(at: place.folder.path))
    // It can be kept.
    let kept = try JSONEncoder().encode([token])
    #expect(try JSONDecoder().decode([UbiquityIdentityToken].self, from: kept) == [token])
    // Wherever the folder is.
    try place.setFolder(isAway: true)
    #expect(
      UbiquityContainer.identityToken(at: place.root.appending(path: "elsewhere").path) == token)
  }

  @Test func u2_anotherContainerOrUserIsAnotherToken() throws {
    let token = container.ownIdentityToken
    #expect(token == UbiquityIdentityToken(container: container.id, user: geteuid()))
    #expect(token != UbiquityIdentityToken(container: container.id, user: geteuid() + 1))
    try replaceContainer()
    let other = try #require(container.identityToken)
    #expect(other != token)
    #expect(container.ownIdentityToken == token)
  }

  /// Each question of its own would leave behind a process that does not come back.
  @Test func u2_aTokenIsAskedForAsTheContainerAsksWhetherItsFolderAnswers() throws {
    let device = store.device
    let silent = try UbiquityContainer(
      device: Syncing.Device(
        record: device.record, database: device.database, container: device.container,
        ambient: device.ambient, ask: { .silent(resolved: $0) }))
    #expect(silent.identityToken == nil)
    #expect(silent.ownIdentityToken == container.identityToken)
  }

  @Test func u2_withoutAContainerThereIsNoToken() throws {
    try place.setFolder(isAway: true)
    #expect(container.identityToken == nil)
    try FileManager.default.createDirectory(at: place.folder, withIntermediateDirectories: true)
    #expect(container.identityToken == nil)
    let marker = place.folder.appending(path: "feedsync.container")
    for text in ["", "nonsense", #"{"container":"x","format":1,"identifier":"y"}"#] {
      try Data(text.utf8).write(to: marker)
      #expect(container.identityToken == nil)
    }
    try FileManager.default.removeItem(at: marker)
    #expect(mkfifo(marker.path, 0o600) == 0)
    #expect(container.identityToken == nil)
  }

  @Test func u3_eachChangeIsToldOnce() async throws {
    var changes = container.identityChanges(interval: .milliseconds(5)).makeAsyncIterator()
    let own = container.ownIdentityToken
    try place.setFolder(isAway: true)
    #expect(await changes.next() == .some(nil))
    try place.setFolder(isAway: false)
    #expect(await changes.next() == own)
    try replaceContainer()
    var last = try #require(await changes.next())
    // It may have been seen between the two.
    if last == nil { last = try #require(await changes.next()) }
    #expect(last != nil && last != own)
    let task = Task {
      var changes = container.identityChanges(interval: .milliseconds(5)).makeAsyncIterator()
      return await changes.next() == nil
    }
    task.cancel()
    #expect(await task.value)
  }

  @Test func u4_aTokenDoesNotMeanAccess() throws {
    try replaceContainer()
    #expect(container.identityToken != nil)
    #expect(throws: FeedSyncError.self) { try container.absence() }
    let error = #expect(throws: FeedSyncError.self) {
      try store.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    }
    #expect(error?.code == .noContainer)
    #expect(try store.read { try $0.ids(in: "notes") } == [])
  }

  @Test func u5_whatHasNosyncInItsNameIsNeitherCarriedNorImported() throws {
    let ignored = try String(
      contentsOf: place.folder.appending(path: ".stignore"), encoding: .utf8)
    #expect(ignored.contains("\n*.nosync\n") && ignored.contains("\n*.nosync*\n"))
    let ben = try place.store("ben")
    try ben.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    let logs = place.folder.appending(path: "logs/\(ben.container.thisDevice.id)")
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: logs.path).first)
    let file = logs.appending(path: name)
    for hidden in ["x.nosync", "x.nosync.log", "\(name).nosync12"] {
      let place = logs.appending(path: hidden)
      try FileManager.default.moveItem(at: file, to: place)
      let summary = try store.importAll()
      #expect(summary.documents == 0 && summary.setAside.isEmpty, "\(hidden)")
      try FileManager.default.moveItem(at: place, to: file)
    }
    // Nor from a folder of such a name.
    let hidden = logs.appendingPathExtension("nosync")
    try FileManager.default.moveItem(at: logs, to: hidden)
    #expect(try store.importAll().documents == 0)
    try FileManager.default.moveItem(at: hidden, to: logs)
    #expect(try store.importAll().documents == 1)
  }
}
