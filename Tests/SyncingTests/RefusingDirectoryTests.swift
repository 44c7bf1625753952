import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// Bob looks after the files of two devices that never come back, and may not write the directory
/// of one of them.
@Suite("A directory that refuses everything") struct RefusingDirectoryTests {
  private let world: World
  private let folder: FilePath
  private let ann: Peer
  private let bob: Peer
  private let cem: Peer
  /// More than the failures after which a directory is left alone.
  private static let count = 10

  init() throws {
    world = try World()
    folder = try world.folder("shared")
    ann = try world.peer("ann", in: folder)
    bob = try world.peer("bob", in: folder)
    cem = try world.peer("cem", in: folder)
    for peer in [ann, bob, cem] {
      for number in 0..<Self.count {
        try peer.put("\(peer.stream)-\(number)", "{}")
        try peer.publish()
      }
    }
    try bob.importAll()
    for peer in [ann, cem] { try bob.device.database.retire(peer.stream, now: 1) }
  }

  /// Bob, whom any change in the directory of `refusing` is refused.
  private func bob(refusedBy refusing: Peer) throws -> Device {
    let directory = refusing.directory
    let files = InterruptedFileSystem(
      world.files,
      beforeChange: { (path) throws(FileError) in
        guard path.components.contains(directory) else { return }
        throw FileError(.create, path, .permissionDenied)
      })
    return Device(
      record: bob.device.record, database: bob.device.database,
      container: ContainerFolder(root: folder, files: files), ambient: world.ambient)
  }

  private func count(of peer: Peer) throws -> Int {
    try world.logs(in: folder).count { $0.directory == peer.directory }
  }

  @Test("keeps no other stream's files from being put back", arguments: [true, false])
  func healing(isFirst: Bool) throws {
    let (refusing, other) = isFirst ? (ann, cem) : (cem, ann)
    for file in try world.logs(in: folder) { try world.remove(file.path(in: folder)) }
    let report = try Importer(device: bob(refusedBy: refusing)).importAll()
    #expect(report.putBack == 2 * Self.count)
    #expect((report.publishingFailure as? FileError)?.errno == .permissionDenied)
    #expect(try count(of: bob) == Self.count)
    #expect(try count(of: other) == Self.count)
    #expect(try count(of: refusing) == 0)
    #expect(try bob.importAll().putBack == Self.count)
  }

  @Test("keeps no other stream's files from being joined", arguments: [true, false])
  func joining(isFirst: Bool) throws {
    let (refusing, other) = isFirst ? (ann, cem) : (cem, ann)
    let compactor = Compactor(device: try bob(refusedBy: refusing), limits: .small())
    let error = #expect(throws: FileError.self) { try compactor.run() }
    #expect(error?.errno == .permissionDenied)
    // The joined file stands beside those that it was made of.
    #expect(try count(of: bob) == Self.count + 1)
    #expect(try count(of: other) == Self.count + 1)
    #expect(try count(of: refusing) == Self.count)
    // Its content is kept already, and is put into the folder as soon as that takes it.
    #expect(try bob.importAll().putBack == 1)
    #expect(try count(of: refusing) == Self.count + 1)
  }

  @Test("is put back behind what this device wrote itself")
  func ownFirst() throws {
    let kept = try bob.device.database.keptStreams()
    #expect(kept.first == bob.stream)
    #expect(Set(kept) == [ann.stream, bob.stream, cem.stream])
  }
}
