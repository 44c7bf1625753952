import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// A machine of the real file system: a state, and folders beside it.
struct Household: Sendable {
  let directory: DeviceDirectory
  let root: FilePath
  private let temporary: TemporaryDirectory

  init(now: Int64 = 1_767_225_600_000) throws {
    temporary = try TemporaryDirectory()
    root = temporary.path
    let ambient = Ambient(now: { now }, random: { UInt64.random(in: .min ... .max) })
    directory = DeviceDirectory(
      root: root.appending("state"), files: LinuxFileSystem(), ambient: ambient)
  }

  var files: any FileSystem { directory.files }

  /// Another state on the same machine: another device.
  func other(_ name: FilePath.Component) -> DeviceDirectory {
    DeviceDirectory(root: root.appending(name), files: files, ambient: directory.ambient)
  }

  /// The same state, on a disk that has no room for what a container's device needs.
  func unable(toJoin container: ContainerID) -> DeviceDirectory {
    let place = directory.directory(of: container)
    return DeviceDirectory(
      root: directory.root,
      files: InterruptedFileSystem(
        files,
        beforeChange: { (path) throws(FileError) in
          if path.starts(with: place) { throw FileError(.makeDirectory, path, .noSpace) }
        }), ambient: directory.ambient)
  }

  func makeFolder(_ name: FilePath.Component) throws -> FilePath {
    let path = root.appending(name)
    try files.makeDirectory(path, mode: 0o755)
    return try files.canonicalPath(of: path)
  }

  @discardableResult
  func initialise(
    _ folder: FilePath, name: String? = nil, in directory: DeviceDirectory? = nil,
    joining: Bool = false
  ) throws -> DeviceDirectory.Initialisation {
    try (directory ?? self.directory).initialise(
      DeviceDirectory.Request(
        folder: folder, identifier: nil, deviceName: name, fallbackName: "host",
        joinsOnly: joining))
  }

  /// Opens the device as a command does that names a folder, or none.
  func open(_ folder: FilePath? = nil) throws -> Peer {
    Peer(device: try directory.open(container: folder))
  }

  /// Copies a folder with all that is in it.
  func copy(_ source: FilePath, to target: FilePath) throws {
    try files.makeDirectory(target, mode: 0o755)
    for entry in try files.list(source) {
      let (from, to) = (source.appending(entry.name), target.appending(entry.name))
      if try files.status(of: from).kind == .directory {
        try copy(from, to: to)
      } else {
        try files.publish(
          try files.contents(of: from, limit: 1 << 26).bytes, at: to,
          temporaryName: directory.ambient.temporaryName())
      }
    }
  }

  func move(_ source: FilePath, to target: FilePath) throws {
    try files.rename(source, to: target)
  }

  func removeTree(_ path: FilePath) throws {
    for entry in try files.list(path) {
      let child = path.appending(entry.name)
      if try files.status(of: child).kind == .directory {
        try removeTree(child)
      } else {
        try files.remove(child)
      }
    }
    try files.removeDirectory(path)
  }

  func exists(_ path: FilePath) -> Bool { (try? files.status(of: path)) != nil }

  /// How many segments of a device a folder holds.
  func count(of peer: Peer, in folder: FilePath) throws -> Int {
    let logs = ContainerFolder(root: folder, files: files)
    return try logs.list(directories: [peer.directory]).segments.count
  }
}
