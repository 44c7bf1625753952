import CanonicalJSON
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

// The files of the state that belong to no one container: the default, and a lock.
extension DeviceDirectory {
  private var defaultFile: FilePath { root.appending("default.json") }
  private static let maximumDefaultBytes = 64 << 10

  /// The container that commands work on which name none.
  ///
  /// - throws: ``DeviceError/noContainerChosen(state:)``, or ``DeviceError/choiceDamaged(_:)``.
  func chosenContainer() throws -> ContainerID {
    if let id = try readDefault() { return id }
    guard (try? files.status(of: defaultFile)) == nil else {
      throw DeviceError.choiceDamaged(defaultFile)
    }
    throw DeviceError.noContainerChosen(state: root)
  }

  /// - returns: nil where none is chosen, or what says so cannot be understood.
  func readDefault() throws -> ContainerID? {
    do {
      let bytes = try files.contents(of: defaultFile, limit: Self.maximumDefaultBytes).bytes
      guard case .object(let object) = try? JSON(parsing: bytes),
        case .string(let id) = object["container"]
      else { return nil }
      return ContainerID(id.description)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return nil
    }
  }

  func writeDefault(_ container: ContainerID) throws {
    let object: JSONObject = ["container": .string(ByteString(container.description))]
    try replace(defaultFile, with: object)
  }

  /// Writes a small file of the state, durably, in the place of what has its name.
  ///
  /// Where this is not within ``exclusively(_:)``, ``removeLeftovers()`` may take it before.
  func replace(_ file: FilePath, with object: JSONObject) throws {
    let staged = root.appending(ambient.temporaryName())
    try files.publish(
      JSON.object(object).canonicalBytes() + [UInt8(ascii: "\n")], at: staged,
      temporaryName: ambient.temporaryName(), mode: 0o600)
    try files.rename(staged, to: file)
    try files.synchronizeDirectory(file.parent)
  }

  /// Chooses no container, if `container` was the default.
  ///
  /// - returns: whether it was.
  func removeDefault(_ container: ContainerID) throws -> Bool {
    guard try readDefault() == container else { return false }
    try files.remove(defaultFile)
    try files.synchronizeDirectory(root)
    return true
  }

  /// Runs `body` while no other process makes or removes a device of this state.
  ///
  /// What is done here is short and local, so that waiting for it is no risk.
  func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
    let lock = try files.lock(root.appending("lock"), exclusive: true, wait: true, holder: [])
    defer { lock.release() }
    return try body()
  }

  /// Removes a directory of the state with all that is in it.
  ///
  /// It loses its name first: what is removed by half must not look like a database.
  func removeTree(_ directory: FilePath) throws(FileError) {
    let doomed = root.appending(ambient.temporaryName())
    try files.rename(directory, to: doomed)
    try files.synchronizeDirectory(root)
    try removeEntries(of: doomed)
  }

  private func removeEntries(of directory: FilePath) throws(FileError) {
    for entry in try files.list(directory) {
      let path = directory.appending(entry.name)
      if try files.status(of: path).kind == .directory {
        try removeEntries(of: path)
      } else {
        try files.remove(path)
      }
    }
    try files.removeDirectory(directory)
  }

  /// Removes what killed processes left half done in the state.
  ///
  /// Only for use within ``exclusively(_:)``: whoever makes such names here holds that lock, so
  /// none of them is in use; or makes them again (``note(_:in:)``).
  func removeLeftovers() throws(FileError) {
    for entry in try files.list(root) where LeftoverName.matches(entry.bytes) {
      let path = root.appending(entry.name)
      if try files.status(of: path).kind == .directory {
        try removeEntries(of: path)
      } else {
        try files.remove(path)
      }
    }
  }
}
