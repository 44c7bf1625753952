import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("init where the container's marker is gone") struct MarkerRestoringTests {
  private let house: Household
  private let folder: FilePath
  private var markerFile: FilePath { folder.appending(Marker.name) }

  init() throws {
    house = try Household()
    folder = try house.makeFolder("folder")
  }

  private func write(_ id: String) throws {
    let peer = try house.open()
    try peer.put(id, "{}")
    try peer.publish()
  }

  private func marker() throws -> [UInt8] {
    try house.files.contents(of: markerFile, limit: 1 << 16).bytes
  }

  @Test("puts it back, byte for byte, beside files of the container")
  func restored() throws {
    // With a member of a later version, that only the bytes have.
    let text = #"{"container":"\#(ContainerID(rawValue: 7))","format":1,"identifier":"x","new":1}"#
    try house.files.publish(Array(text.utf8), at: markerFile, temporaryName: "t")
    let stream = try house.initialise(folder).device.record.stream
    try write("a")
    try house.files.remove(markerFile)
    #expect(throws: ContainerError.markerMissing(folder)) { try house.open().importAll() }
    let done = try house.initialise(folder)
    #expect(done.isMarkerRestored)
    #expect(!done.isCreated)
    #expect(done.device.record.stream == stream)
    #expect(try marker() == Array(text.utf8))
    #expect(try house.open().importAll().publishingFailure == nil)
    #expect(try !house.initialise(folder).isMarkerRestored)
  }

  /// A syncer brings files in any order.
  @Test("makes none beside files of a container that nobody here knows, and waits for theirs")
  func filesFirst() throws {
    try house.initialise(folder)
    try write("a")
    let text = try marker()
    try house.files.remove(markerFile)
    let other = house.other("other")
    #expect(throws: ContainerError.markerMissing(folder)) {
      try house.initialise(folder, in: other)
    }
    #expect(!house.exists(markerFile))
    try house.files.publish(text, at: markerFile, temporaryName: "t")
    #expect(try !house.initialise(folder, in: other).isCreated)
  }

  /// Whose it is cannot be read yet.
  @Test("makes none beside a file that is half there, under a segment's name", arguments: [0, 20])
  func halfAFile(count: Int) throws {
    try house.initialise(folder)
    try write("a")
    let container = ContainerFolder(root: folder, files: house.files)
    let file = try #require(try container.list().segments.first)
    let path = container.logs.appending(file.directory).appending(file.name)
    let bytes = try house.files.contents(of: path, limit: 1 << 16).bytes
    try house.files.remove(path)
    try house.files.publish(Array(bytes.prefix(count)), at: path, temporaryName: "t")
    try house.files.remove(markerFile)
    #expect(throws: ContainerError.markerMissing(folder)) {
      try house.initialise(folder, in: house.other("other"))
    }
    #expect(!house.exists(markerFile))
  }

  /// As Nextcloud's virtual files, `rclone`'s partial ones and Syncthing's temporaries are called.
  @Test(
    "makes none where the marker is online only, or on its way",
    arguments: [
      "feedsync.container.nextcloud", "feedsync.container.00c0ffee.partial",
      ".syncthing.feedsync.container.tmp", "~syncthing~feedsync.container.tmp",
    ])
  func unarrivedMarker(name: String) throws {
    let path = folder.appending(name)
    try house.files.publish([0x20], at: path, temporaryName: "t")
    let isHidden = !name.hasPrefix("feedsync")
    let expected =
      isHidden ? ContainerError.markerMissing(folder) : ContainerError.markerUnarrived(path)
    #expect(throws: expected) { try house.initialise(folder) }
    #expect(!house.exists(markerFile))
    try house.files.remove(path)
    #expect(try house.initialise(folder).isCreated)
    // Now it is away for who knows it, who works locally.
    try house.move(markerFile, to: path)
    let absence = try #require(try house.open().device.absence())
    #expect(absence == expected && absence.isAbsence)
  }

  @Test("makes none beside files of a container that are online only")
  func unarrivedFiles() throws {
    try house.initialise(folder)
    try write("a")
    let logs = ContainerFolder(root: folder, files: house.files)
    for file in try logs.list().segments {
      let path = logs.logs.appending(file.directory).appending(file.name)
      try house.move(path, to: FilePath(path.string + ".nextcloud"))
    }
    try house.files.remove(markerFile)
    #expect(throws: ContainerError.markerMissing(folder)) {
      try house.initialise(folder, in: house.other("other"))
    }
    #expect(!house.exists(markerFile))
  }

  @Test("makes one beside files that are of no container")
  func strangeFiles() throws {
    let logs = folder.appending("logs")
    try house.files.makeDirectory(logs, mode: 0o700)
    try house.files.makeDirectory(logs.appending("x"), mode: 0o700)
    try house.files.publish([1, 2], at: logs.appending("x/y.log"), temporaryName: "t")
    #expect(try house.initialise(folder).isCreated)
  }

  @Test("refuses an empty folder, as where nothing is mounted")
  func notMounted() throws {
    try house.initialise(folder)
    try write("a")
    try house.removeTree(folder)
    _ = try house.makeFolder("folder")
    #expect(throws: ContainerError.markerMissing(folder)) { try house.initialise(folder) }
    #expect(!house.exists(markerFile))
  }

  @Test("refuses a folder with files of another container alone")
  func otherFiles() throws {
    try house.initialise(folder)
    try write("a")
    try house.removeTree(folder)
    _ = try house.makeFolder("folder")
    let other = house.other("other")
    try house.initialise(folder, in: other)
    let stranger = Peer(device: try other.open(container: folder))
    try stranger.put("b", "{}")
    try stranger.publish()
    try house.files.remove(markerFile)
    #expect(throws: ContainerError.markerMissing(folder)) { try house.initialise(folder) }
    #expect(!house.exists(markerFile))
  }

  @Test("refuses a folder with files of two containers: the other's marker may be on its way")
  func filesOfTwo() throws {
    try house.initialise(folder)
    try write("a")
    let theirs = try house.makeFolder("theirs")
    let other = house.other("other")
    try house.initialise(theirs, in: other)
    let stranger = Peer(device: try other.open(container: theirs))
    try stranger.put("b", "{}")
    try stranger.publish()
    for stream in try house.files.list(theirs.appending("logs")) {
      try house.copy(
        theirs.appending("logs").appending(stream.name),
        to: folder.appending("logs").appending(stream.name))
    }
    try house.files.remove(markerFile)
    #expect(throws: ContainerError.markerMissing(folder)) { try house.initialise(folder) }
    #expect(!house.exists(markerFile))
  }

  @Test("refuses where the device that is known there has left")
  func left() throws {
    try house.initialise(folder)
    try write("a")
    _ = try house.directory.leave(try house.open().device, .published, process: "1")
    try house.files.remove(markerFile)
    #expect(throws: ContainerError.markerMissing(folder)) { try house.initialise(folder) }
    #expect(!house.exists(markerFile))
  }

  @Test("refuses where several devices are known at the place")
  func several() throws {
    try house.initialise(folder)
    try write("a")
    let first = try marker()
    try house.removeTree(folder.appending("logs"))
    try house.files.remove(markerFile)
    // Another container was there in between.
    let second = Marker(container: ContainerID(rawValue: 9), identifier: "second")
    try house.files.publish(second.bytes, at: markerFile, temporaryName: "t")
    try house.initialise(folder, joining: true)
    try write("b")
    try house.files.remove(markerFile)
    #expect(throws: ContainerError.markerMissing(folder)) { try house.initialise(folder) }
    try house.files.publish(second.bytes, at: markerFile, temporaryName: "t")
    #expect(try house.initialise(folder).marker == second)
    #expect(first != second.bytes)
  }

  @Test("never writes over one that cannot be read")
  func damaged() throws {
    try house.initialise(folder)
    try write("a")
    try house.files.remove(markerFile)
    try house.files.publish(Array("{".utf8), at: markerFile, temporaryName: "t")
    #expect(throws: ContainerError.self) { try house.initialise(folder) }
    #expect(try marker() == Array("{".utf8))
  }
}
