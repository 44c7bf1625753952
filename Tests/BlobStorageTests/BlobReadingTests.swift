import BlobStorage
import Replication
import SystemFiles
import SystemPackage
import Testing

@Suite("Reading a blob") struct BlobReadingTests {
  private let scene = BlobScene()
  private let content = BlobScene.content()
  private let reference: BlobReference
  private let path: FilePath

  init() throws {
    let stored = try scene.store(content)
    reference = scene.reference(stored)
    path = scene.blobs.file(stored.hash, of: BlobScene.ann)
  }

  private func export(
    to file: FilePath = "/home/out", replaces: Bool = false
  ) throws -> BlobReader.Outcome {
    try BlobReader(scene.blobs).write(
      try scene.blobs.copies(of: reference), of: reference, to: file,
      temporaryName: { ".feedsync-2.nosync" }, replaces: replaces)
  }

  /// What is worse than a copy that is not there.
  private static let damages: [(String, @Sendable (BlobScene, FilePath) -> Void)] = [
    ("cut", { $0.files.truncate($1, to: 1000) }),
    ("empty", { $0.files.put($1, []) }),
    ("longer", { $0.files.append([0], to: $1) }),
    ("of other content", { $0.files.put($1, BlobScene.content(9)) }),
    ("refused", { $0.files.setRefused(true, $1) }),
    (
      "a link",
      {
        $0.files.removeTree($1)
        $0.files.putLink($1, to: "/home/photo.jpg")
      }
    ),
    (
      "a FIFO",
      {
        $0.files.removeTree($1)
        $0.files.putSpecial($1, kind: .fifo)
      }
    ),
    (
      "a directory",
      {
        $0.files.removeTree($1)
        $0.files.putDirectory($1)
      }
    ),
  ]

  @Test("writes the whole into the file, and replaces none unless it may")
  func whole() throws {
    #expect(try export() == .read(BlobCopy(stream: BlobScene.ann, condition: .whole)))
    #expect(scene.files.bytes(at: "/home/out") == content)
    scene.files.put("/home/out", [1])
    #expect(throws: BlobError.destinationTaken("/home/out")) { try export() }
    #expect(scene.files.bytes(at: "/home/out") == [1])
    _ = try export(replaces: true)
    #expect(scene.files.bytes(at: "/home/out") == content)
    #expect(scene.names(in: "/home") == ["out", "photo.jpg"])
  }

  @Test("takes nothing away that is no file, such as a device or a link to one")
  func noFile() throws {
    let kinds: [(FileKind, @Sendable (BlobScene) -> Void)] = [
      (.symbolicLink, { $0.files.putLink("/home/out", to: "/home/photo.jpg") }),
      (.device, { $0.files.putSpecial("/home/out", kind: .device) }),
      (.fifo, { $0.files.putSpecial("/home/out", kind: .fifo) }),
      (.directory, { $0.files.putDirectory("/home/out") }),
    ]
    for (kind, put) in kinds {
      let other = try BlobReadingTests()
      put(other.scene)
      #expect(throws: BlobError.destinationIsNoFile("/home/out", kind)) {
        try other.export(replaces: true)
      }
      #expect(try other.scene.files.status(of: "/home/out").kind == kind)
      #expect(other.scene.names(in: "/home") == ["out", "photo.jpg"], "\(kind)")
    }
  }

  @Test("never hands out a copy that is damaged, and takes another device's that is whole")
  func damaged() throws {
    for (name, damage) in Self.damages {
      let other = try BlobReadingTests()
      damage(other.scene, other.path)
      guard case .none(let copies) = try other.export() else {
        Issue.record("a copy that is \(name) was handed out")
        continue
      }
      #expect(copies.map(\.stream) == [BlobScene.ann], "\(name)")
      #expect(other.scene.names(in: "/home") == ["photo.jpg"], "\(name)")
      try other.scene.store(content, as: BlobScene.bob)
      #expect(
        try other.export() == .read(BlobCopy(stream: BlobScene.bob, condition: .whole)), "\(name)")
      #expect(other.scene.files.bytes(at: "/home/out") == content, "\(name)")
    }
  }

  @Test("gives the pieces only once a copy was found whole")
  func pieces() throws {
    var read: [UInt8] = []
    let reader = BlobReader(scene.blobs)
    _ = try reader.read(try scene.blobs.copies(of: reference), of: reference) { read += $0 }
    #expect(read == content)
    scene.files.put(path, BlobScene.content(4))
    let outcome = try reader.read(try scene.blobs.copies(of: reference), of: reference) { _ in
      Issue.record("a piece of what is damaged")
    }
    #expect(outcome == .none([BlobCopy(stream: BlobScene.ann, condition: .otherContent)]))
  }

  @Test("looks through no link that stands for a directory")
  func linkedDirectory() throws {
    scene.files.putDirectory("/elsewhere")
    try scene.files.rename(path, to: FilePath("/elsewhere/\(reference.hash)"))
    let directory = scene.blobs.directory(of: BlobScene.ann)
    try scene.files.removeDirectory(directory)
    scene.files.putLink(directory, to: "/elsewhere")
    #expect(try scene.blobs.copies(of: reference).isEmpty)
    try scene.files.remove(directory)
    try scene.files.removeDirectory("/folder/blobs")
    scene.files.putDirectory(FilePath("/elsewhere/\(BlobScene.ann)"))
    scene.files.putLink("/folder/blobs", to: "/elsewhere")
    #expect(try scene.blobs.copies(of: reference).isEmpty)
  }

  @Test(
    "takes no directory that cannot be looked at for one that is not there",
    arguments: [Errno.ioError, .staleNFSFileHandle, .permissionDenied])
  func silentDirectory(errno: Errno) throws {
    let directory = scene.blobs.directory(of: BlobScene.ann)
    scene.files.fail(.status, with: errno)
    #expect(
      try scene.blobs.copies(of: reference) == [
        BlobCopy(
          stream: BlobScene.ann, condition: .unreadable(FileError(.status, directory, errno)))
      ])
    scene.files.fail(.status, with: errno)
    #expect(throws: FileError(.status, scene.blobs.root, errno)) {
      try scene.blobs.hashes(of: BlobScene.ann)
    }
    #expect(try scene.blobs.hashes(of: BlobScene.ann) == [reference.hash])
  }

  @Test("leaves nothing behind on a full disk or when it is killed")
  func failures() throws {
    scene.files.setRoom(100_000)
    let error = #expect(throws: FileError.self) { try export() }
    #expect(error?.errno == .noSpace)
    #expect(scene.names(in: "/home") == ["photo.jpg"])
    scene.files.setCapacity(nil)
    for call in 1... {
      let other = try BlobReadingTests()
      other.scene.files.kill(at: call)
      _ = try? other.export()
      guard other.scene.files.wasKilled else { break }
      other.scene.files.reboot()
      let found = other.scene.files.bytes(at: "/home/out")
      #expect(found == nil || found == content)
    }
  }
}
