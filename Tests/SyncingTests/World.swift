import CanonicalJSON
import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import Synchronization
import Syncing
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// Devices that share a folder, or have one each with a syncer between them.
///
/// Time stands still unless a test moves it on, and chance is repeated by the seed.
final class World: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case real
    case fake
  }

  let files: any FileSystem
  /// The fake, where the world is one.
  let fake: InMemoryFileSystem?
  let root: FilePath
  let marker: Marker
  let ambient: Ambient
  private let moment = Moment()
  private let directory: TemporaryDirectory?

  init(_ kind: Kind = .fake, seed: UInt64 = 1, fake: InMemoryFileSystem = InMemoryFileSystem())
    throws
  {
    switch kind {
    case .real:
      let directory = try TemporaryDirectory()
      self.directory = directory
      files = LinuxFileSystem()
      self.fake = nil
      root = directory.path
    case .fake:
      directory = nil
      files = fake
      self.fake = fake
      root = "/world"
      fake.putDirectory("/world")
    }
    marker = Marker(container: ContainerID(rawValue: 0xABCD), identifier: "org.example.test")
    let chance = Chance(seed: seed)
    ambient = Ambient(now: { [moment] in moment.now() }, random: { chance.next() })
  }

  /// Moves every device's wall clock on.
  func advance(milliseconds: Int64) { moment.advance(milliseconds) }

  /// A folder that is this world's container.
  func folder(_ name: FilePath.Component) throws -> FilePath {
    let path = root.appending(name)
    try files.makeDirectory(path, mode: 0o755)
    try place(marker.bytes, at: path.appending(Marker.name))
    return path
  }

  /// A new device in a folder, or another process of one whose database is given.
  func peer(
    _ name: String, in folder: FilePath, database: StoreDatabase? = nil
  ) throws -> Peer {
    let store = try database ?? StoreDatabase.inMemory()
    let record =
      try store.device()
      ?? DeviceRecord(
        container: marker.container, marker: marker.bytes, path: folder,
        stream: ambient.identifier(), name: name)
    try store.save(record)
    return Peer(
      device: Device(
        record: record, database: store,
        container: ContainerFolder(root: folder, files: files), ambient: ambient))
  }
}

// MARK: - What a syncer does

/// A file under `logs/`.
struct LogFile: Hashable, Sendable {
  let directory: FilePath.Component
  let name: FilePath.Component
  let bytes: [UInt8]

  var key: FileKey { FileKey(directory: directory.bytes, name: name.bytes) }

  func path(in folder: FilePath) -> FilePath {
    folder.appending("logs").appending(directory).appending(name)
  }
}

extension World {
  /// The files under a folder's `logs/`, sorted by name.
  func logs(in folder: FilePath, except: FilePath.Component? = nil) throws -> [LogFile] {
    let logs = folder.appending("logs")
    guard (try? files.status(of: logs)) != nil else { return [] }
    var result: [LogFile] = []
    for directory in try files.list(logs) where directory.name != except {
      let path = logs.appending(directory.name)
      for file in try files.list(path) {
        let contents = try files.contents(of: path.appending(file.name), limit: 1 << 26)
        result.append(
          LogFile(directory: directory.name, name: file.name, bytes: contents.bytes))
      }
    }
    return result.sorted { $0.key < $1.key }
  }

  /// Puts a file where a syncer would, replacing what is there by a new inode.
  func place(_ bytes: [UInt8], at path: FilePath) throws {
    if let fake { return fake.put(path, bytes) }
    try makeDirectories(path.parent)
    let staged = path.parent.appending(ambient.temporaryName())
    try files.publish(bytes, at: staged, temporaryName: ambient.temporaryName())
    try files.rename(staged, to: path)
  }

  /// Brings a file into a folder, under its own name unless told otherwise.
  func deliver(
    _ file: LogFile, to folder: FilePath, directory: FilePath.Component? = nil,
    name: FilePath.Component? = nil
  ) throws {
    let copy = LogFile(
      directory: directory ?? file.directory, name: name ?? file.name, bytes: file.bytes)
    try place(file.bytes, at: copy.path(in: folder))
  }

  /// Brings what one device wrote to another, which imports it.
  @discardableResult
  func give(_ author: Peer, to other: Peer) throws -> ImportReport {
    for file in try logs(in: author.folder) where file.directory == author.directory {
      try deliver(file, to: other.folder)
    }
    return try other.importAll()
  }

  /// Takes away whatever has the name.
  func remove(_ path: FilePath) throws {
    if let fake { return fake.removeTree(path) }
    if try files.status(of: path).kind == .directory {
      try files.removeDirectory(path)
    } else {
      try files.remove(path)
    }
  }

  func makeDirectories(_ path: FilePath) throws {
    if (try? files.status(of: path)) != nil { return }
    try makeDirectories(path.parent)
    try files.makeDirectory(path, mode: 0o755)
  }
}

/// The world's wall clock.
private final class Moment: Sendable {
  private let milliseconds = Mutex<Int64>(1_767_225_600_000)

  func now() -> Int64 { milliseconds.withLock { $0 } }
  func advance(_ by: Int64) { milliseconds.withLock { $0 += by } }
}

/// The world's randomness.
private final class Chance: Sendable {
  private let generator: Mutex<SeededGenerator>

  init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

  func next() -> UInt64 { generator.withLock { $0.next() } }
}

extension LogFile {
  func decoded() throws -> (segment: Segment, digest: UInt64) { try SegmentFile.decode(bytes) }
}
