import Replication
import SystemFiles
import SystemPackage

// Versions of the user's own files, which are kept beside the databases.
extension DeviceDirectory {
  /// Moves those of a container's documents to another's that has come in its place.
  ///
  /// The documents stand in the same folder as before, and nobody looks for what is kept of them
  /// under the id of a container that is gone. Interrupted, it can be repeated.
  func carryKeptVersions(from other: ContainerID, to container: ContainerID) throws(FileError) {
    let source = Device.keptVersions(of: other, in: root)
    guard other != container, try kind(of: source) == .directory else { return }
    try move(source, to: Device.keptVersions(of: container, in: root))
    try files.synchronizeDirectory(source.parent)
  }

  /// Moves a directory; where there is one of that name, what is in it.
  ///
  /// What stands in the way of something else is left, and so is what that would have replaced.
  private func move(_ source: FilePath, to destination: FilePath) throws(FileError) {
    guard try kind(of: destination) != nil else { return try files.rename(source, to: destination) }
    for entry in try files.list(source) {
      let inner = destination.appending(entry.name)
      let both = (try kind(of: source.appending(entry.name)), try kind(of: inner))
      guard both.1 == nil || both == (.directory, .directory) else { continue }
      try move(source.appending(entry.name), to: inner)
    }
    try files.synchronizeDirectory(destination)
    do {
      try files.removeDirectory(source)
    } catch {
      // What was left, or has just come: a program may still have a document open.
      guard error.errno == .directoryNotEmpty else { throw error }
    }
  }

  /// What stands at a path; nil if nothing does.
  private func kind(of path: FilePath) throws(FileError) -> FileKind? {
    do {
      return try files.status(of: path).kind
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return nil
    }
  }
}

extension Device {
  /// Where versions of the user's own files are kept, in the state.
  package var keptVersions: FilePath {
    Self.keptVersions(of: record.container, in: database.file.parent.parent)
  }

  fileprivate static func keptVersions(of container: ContainerID, in root: FilePath) -> FilePath {
    root.appending("versions").appending(container.description)
  }
}
