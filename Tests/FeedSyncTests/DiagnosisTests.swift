import DocumentStorage
import FeedSync
import Foundation
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// What a diagnosis finds on machines that this one is not.
@Suite struct DiagnosisTests {
  private let place: Place
  private let ann: DocumentStore
  private let bob: DocumentStore

  init() throws {
    place = try Place()
    ann = try place.store("ann")
    bob = try place.store("bob")
  }

  /// Diagnoses a device, so much later than now, with these facts.
  private func diagnose(
    _ name: String = "ann", later milliseconds: Int64 = 0,
    _ change: (inout MachineFacts) -> Void = { _ in }
  ) throws -> [Finding] {
    let now = Ambient.system.now() + milliseconds
    let directory = DeviceDirectory(
      root: FilePath(place.state(name)), files: LinuxFileSystem(),
      ambient: Ambient(now: { now }, random: { UInt64.random(in: .min ... .max) }))
    var facts = MachineFacts.system
    change(&facts)
    return Diagnosis.run(
      on: Patient(directory: directory, path: FilePath(place.folder.path), facts: facts))
  }

  @Test func theLibraryFindsWhatTheCommandFinds() throws {
    #expect(ann.diagnose() == [])
    try place.setFolder(isAway: true)
    #expect(UbiquityContainer.diagnose(state: place.state("ann")).map(\.check) == ["folder"])
    #expect(ann.diagnose().map(\.check) == ["folder"])
    let missing = UbiquityContainer.diagnose(state: place.state("nobody"))
    #expect(missing.map(\.check) == ["device"] && missing.map(\.severity) == [.error])
  }

  @Test func itCanBeAwaited() async throws {
    let found = try await ann.diagnose()
    #expect(found == [])
  }

  @Test func whatASaveThatBrokeOffHasLeftAmongTheDocumentsIsNamed() throws {
    let letters = place.folder.appending(path: "Documents/letters")
    try FileManager.default.createDirectory(at: letters, withIntermediateDirectories: true)
    let left = letters.appending(path: ".feedsync-00c0ffee00c0ffee.nosync")
    try Data("the newest".utf8).write(to: left)
    try Data("a document".utf8).write(to: letters.appending(path: "a.txt"))
    // It may be a save that goes on, and has brought out what was written long ago.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: left.path)
    #expect(try diagnose().filter { $0.check == "documents" } == [])
    let found = try diagnose(later: 120_000).filter { $0.check == "documents" }
    #expect(found.map(\.severity) == [.warning])
    #expect(found.first?.file == left.path)
    #expect(try Data(contentsOf: left) == Data("the newest".utf8))
  }

  @Test func whatIsNoFolderOfDocumentsIsNotLookedInto() throws {
    let documents = place.folder.appending(path: "Documents")
    try Data("a file".utf8).write(to: documents)
    #expect(try diagnose().filter { $0.check == "documents" } == [])
    try FileManager.default.removeItem(at: documents)
    try FileManager.default.createSymbolicLink(at: documents, withDestinationURL: place.root)
    #expect(try diagnose().filter { $0.check == "documents" } == [])
  }

  @Test func aLinkInThePlaceOfAllAttachmentsIsNamed() throws {
    try ann.write { try $0.put(Note(title: "x"), at: "x", in: "notes") }
    let blobs = place.folder.appending(path: "blobs")
    try FileManager.default.createSymbolicLink(at: blobs, withDestinationURL: place.root)
    let found = try diagnose().filter { $0.check == "attachments" }
    #expect(found.map(\.severity) == [.error])
    #expect(found.first?.file == blobs.path)
    try FileManager.default.removeItem(at: blobs)
    try FileManager.default.createDirectory(at: blobs, withIntermediateDirectories: true)
    #expect(try diagnose() == [])
  }

  @Test func whatThereIsNoneOfIsNamedBeforeWhatThereIsLittleOf() throws {
    func message(_ space: FreeSpace) throws -> String? {
      try diagnose { $0.freeSpace = { _ in space } }.first?.message
    }
    let files = FreeSpace(bytes: 6 << 20, totalBytes: 1 << 40, files: 0)
    #expect(try message(files)?.contains("room for 0 more files") == true)
    let bytes = FreeSpace(bytes: 0, totalBytes: 1 << 40, files: 0)
    #expect(try message(bytes)?.contains("0 KiB") == true)
  }

  @Test func littleRoomIsAWarningAndNoneAnError() throws {
    func found(_ space: FreeSpace) throws -> [Finding.Severity] {
      let findings = try diagnose { $0.freeSpace = { _ in space } }
      #expect(findings.allSatisfy { $0.check == "disk-space" })
      return findings.map(\.severity)
    }
    // The folder's and the state's.
    #expect(try found(FreeSpace(bytes: 100 << 20, totalBytes: 1 << 40, files: nil)).count == 2)
    #expect(
      try found(FreeSpace(bytes: 0, totalBytes: 1 << 40, files: nil)) == [.error, .error])
    #expect(
      try found(FreeSpace(bytes: 1 << 40, totalBytes: 1 << 40, files: 5)) == [.warning, .warning])
    #expect(try found(FreeSpace(bytes: 1 << 40, totalBytes: 1 << 40, files: 1 << 20)) == [])
  }

  @Test func whatWaitsIsToldOfThoughItsTimeIsAheadOfTheClock() async throws {
    try place.setFolder(isAway: true)
    try await ann.write { try $0.put(["n": 1], at: "a", in: "notes") }
    try place.setFolder(isAway: false)
    #expect(try diagnose() == [])
    let late = try diagnose(later: 3_600_000).filter { $0.check == "unpublished" }
    #expect(late.first?.message.contains("first written at") == true)
    let ahead = try diagnose(later: -3_600_000).filter { $0.check == "unpublished" }
    #expect(ahead.count == 1 && ahead.first?.message.contains("first written") == false)
  }

  @Test func thatVeryManyDevicesHaveWrittenIsAWarning() throws {
    try ann.write { try $0.put(Note(title: "x"), at: "x", in: "notes") }
    try bob.importAll()
    try bob.write { try $0.put(Note(title: "y"), at: "y", in: "notes") }
    let directory = DeviceDirectory(
      root: FilePath(place.state("bob")), files: LinuxFileSystem(), ambient: .system)
    let patient = Patient(
      directory: directory, path: FilePath(place.folder.path), facts: .system)
    #expect(Diagnosis.run([ManyDevicesCheck(patience: 3)], on: patient) == [])
    let found = Diagnosis.run([ManyDevicesCheck(patience: 2)], on: patient)
    #expect(found.map(\.check) == ["many-devices"] && found.map(\.severity) == [.warning])
    #expect(found.first?.message.hasPrefix("2 devices") == true)
  }

  @Test func watchesThatTheKernelRefusesAreAWarning() throws {
    let findings = try diagnose { $0.watching = { _ in "no inotify watches are left" } }
    #expect(findings.map(\.check) == ["watching"])
    #expect(findings.first?.message.contains("no inotify watches are left") == true)
  }

  @Test func aFileSystemThatCannotPublishIsAnError() throws {
    let files = InMemoryFileSystem()
    let folder: FilePath = "/folder"
    let marker = Marker(container: ContainerID(rawValue: 1), identifier: "org.example.test")
    files.put(folder.appending(Marker.name), marker.bytes)
    let database = try StoreDatabase.inMemory()
    try database.save(
      DeviceRecord(
        container: marker.container, marker: marker.bytes, path: folder,
        stream: StreamID(rawValue: 1), name: "ann"))
    let directory = DeviceDirectory(
      root: "/state", files: files, ambient: .system, openStore: { _, _, _ in database })
    files.put(directory.directory(of: marker.container).appending("store.sqlite"), [1])
    let checks = Diagnosis.checks.filter { $0 is PublishingCheck }
    func found() -> [Finding] {
      Diagnosis.run(checks, on: Patient(directory: directory, path: folder, facts: .system))
    }
    #expect(checks.count == 1)
    #expect(found() == [])
    files.fail(.synchronizeDirectory, with: .ioError, lasting: true)
    #expect(found().map(\.check) == ["file-system"] && found().map(\.severity) == [.error])
    let message = found().first?.message
    #expect(message?.hasPrefix("what is written here cannot be published: ") == true)
    // What tried it out is gone.
    #expect(try files.list(folder).count == 1)
  }

  @Test func filesThatNobodyImportsAreToldOfAfterAWhile() throws {
    try ann.write { try $0.put(Note(title: "x"), at: "x", in: "notes") }
    #expect(try diagnose("bob") == [])
    #expect(try diagnose("bob", later: 10 * 60_000) == [])
    let late = try diagnose("bob", later: 20 * 60_000)
    #expect(late.map(\.check) == ["watch"] && late.map(\.severity) == [.warning])
    #expect(late.first?.message.contains("not imported: 1 file of other devices") == true)
    // A watch that runs and does nothing is worse.
    let state = FilePath(place.state("bob")).appending(bob.container.id)
    let lock = try WatchLock(
      state: state, files: LinuxFileSystem(), process: "\(getpid())")
    let stuck = try diagnose("bob", later: 20 * 60_000)
    #expect(stuck.map(\.severity) == [.error])
    #expect(stuck.first?.message.contains("process \(getpid())") == true)
    lock.release()
    try bob.importAll()
    #expect(try diagnose("bob", later: 20 * 60_000) == [])
  }

  @Test func whatWaitsToBePublishedIsToldOfAfterAWhile() throws {
    try place.setFolder(isAway: true)
    try ann.write { try $0.put(Note(title: "x"), at: "x", in: "notes") }
    try place.setFolder(isAway: false)
    #expect(try diagnose() == [])
    let late = try diagnose(later: 20 * 60_000)
    #expect(late.map(\.check) == ["unpublished"])
    #expect(late.first?.message.hasPrefix("not in the folder yet: 1 transaction of") == true)
    try ann.importAll()
    #expect(try diagnose(later: 20 * 60_000) == [])
  }

  /// Lesson 13, as a user meets it.
  @Test func aClockThatIsOffIsNamedByStatusAndDiagnosis() throws {
    try ann.write { try $0.put(Note(title: "x"), at: "x", in: "notes") }
    // Bob's machine shows yesterday.
    let yesterday = Ambient.system.now() - 86_400_000
    let behind = DeviceDirectory(
      root: FilePath(place.state("bob")), files: LinuxFileSystem(),
      ambient: Ambient(now: { yesterday }, random: { UInt64.random(in: .min ... .max) }))
    let device = try behind.open(container: FilePath(place.folder.path))
    _ = try Importer(device: device).importAll()
    let store = DocumentStore(try UbiquityContainer(device: device))
    let findings = Diagnosis.run(
      [ClockCheck()],
      on: Patient(directory: behind, path: FilePath(place.folder.path), facts: .system))
    #expect(findings.map(\.device?.name) == ["ann"])
    #expect(findings.first?.message.hasPrefix("the clock of ann is 24 hours ahead") == true)
    let clock = try store.status().devices.first { !$0.isThisDevice }?.clock
    #expect(abs((clock?.ahead ?? 0) - 86_400) < 60 && clock?.isCertain == true)
    #expect(try ann.status().clock == nil)
  }
}
