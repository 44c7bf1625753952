import BlobStorage
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// A device moves on to another folder of its container.
@Suite("A device's blobs, where its folder is another one") struct MovedBlobTests {
  @Test("come along from the old one, as far as they are whole")
  func moved() throws {
    let house = try Household()
    let old = try house.makeFolder("old")
    try house.initialise(old)
    let new = house.root.appending("new")
    try house.copy(old, to: new)
    let ann = try house.open()
    var hashes: [BlobHash] = []
    for text in ["kept", "damaged"] {
      let source = house.root.appending(FilePath.Component(text) ?? "f")
      try house.files.publish(Array(text.utf8), at: source, temporaryName: "t")
      try Attaching(device: ann.device).attach(BlobSource(file: source, in: house.files)) {
        blob, _ in
        hashes.append(blob.hash)
      }
    }
    let damaged = ann.blobs.file(hashes[1], of: ann.stream)
    try house.files.remove(damaged)
    try house.files.publish([1], at: damaged, temporaryName: "t")
    try house.initialise(new)
    let moved = try house.open()
    #expect(moved.folder == new)
    #expect(try moved.blobs.hashes(of: ann.stream) == [hashes[0]])
  }

  /// What stands in the place of the old folder's marker.
  enum OldMarker: String, CaseIterable, Sendable {
    case nothing
    /// As of a file that is kept online only, or that a failing disk has taken.
    case zeros
    case anotherContainers

    var bytes: [UInt8]? {
      switch self {
      case .nothing: nil
      case .zeros: [UInt8](repeating: 0, count: 79)
      case .anotherContainers:
        Marker(container: ContainerID(rawValue: 0xD1FF), identifier: "org.example.other").bytes
      }
    }
  }

  /// A device whose folder was copied, and that attached something and wrote a file since.
  private struct Scene {
    let house: Household
    let old: FilePath
    let new: FilePath
    let ann: Peer
    let blobs: Set<BlobHash>

    init() throws {
      house = try Household()
      old = try house.makeFolder("old")
      try house.initialise(old)
      new = house.root.appending("new")
      try house.copy(old, to: new)
      ann = try house.open()
      let source = house.root.appending("source")
      try house.files.publish(Array("kept".utf8), at: source, temporaryName: "t")
      var blobs: Set<BlobHash> = []
      try Attaching(device: ann.device).attach(BlobSource(file: source, in: house.files)) {
        blob, _ in
        blobs = [blob.hash]
      }
      self.blobs = blobs
      try ann.put("a", "{}")
      try ann.publish()
    }

    func place(_ marker: OldMarker) throws {
      let file = old.appending(Marker.name)
      try house.files.remove(file)
      guard let bytes = marker.bytes else { return }
      try house.files.publish(bytes, at: file, temporaryName: "t")
    }
  }

  @Test(
    "come along, and files too, unless the old folder is another container's by now",
    arguments: OldMarker.allCases)
  func oldMarker(_ marker: OldMarker) throws {
    let scene = try Scene()
    try scene.place(marker)
    let comes = marker != .anotherContainers
    #expect(try scene.house.initialise(scene.new).missing == (comes ? [] : [1...1]))
    let moved = try scene.house.open()
    #expect(moved.folder == scene.new)
    #expect(try moved.blobs.hashes(of: scene.ann.stream) == (comes ? scene.blobs : []))
  }

  @Test("come along where nothing else of the old folder can be read")
  func refusing() throws {
    let scene = try Scene()
    try scene.place(.nothing)
    // A file in the place of a folder refuses as a disk that fails does.
    let logs = scene.old.appending("logs")
    try scene.house.removeTree(logs)
    try scene.house.files.publish([], at: logs, temporaryName: "t")
    #expect(try scene.house.initialise(scene.new).missing == [1...1])
    let moved = try scene.house.open()
    #expect(try moved.blobs.hashes(of: scene.ann.stream) == scene.blobs)
  }
}
