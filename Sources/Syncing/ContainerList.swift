import DocumentStorage
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

/// A container that this state has a device in.
///
/// One that cannot be used is known all the same, with the reason, so that a list is complete.
package struct KnownContainer: Sendable {
  package let id: ContainerID
  /// Whether commands work on it that name none.
  package let isDefault: Bool
  /// What its database says; nil where that cannot be read.
  package let details: Details?
  /// Why it cannot be used: its database cannot be opened, another container has its place,
  /// or this device has left it.
  package let failure: (any Error)?

  package struct Details: Sendable {
    package let device: DeviceRecord
    package let identifier: String
    /// Whether the folder is there, with this container's marker.
    package let isPresent: Bool
    package let documents: Int
    /// Transactions that are not known to be in the folder yet.
    package let unpublished: Int
  }
}

extension DeviceDirectory {
  /// All containers of this state, sorted by id.
  package func containers() throws -> [KnownContainer] {
    let chosen = try readDefault()
    return try containerIDs().compactMap { id in
      try known(id, isDefault: id == chosen)
    }
  }

  /// Makes the container the one that commands work on which name none.
  package func makeDefault(_ id: ContainerID) throws {
    // A silent folder may not hold up the others.
    let device = try open(id, at: nil, isSilent: true)
    try exclusively {
      // A process that leaves must not be overtaken.
      guard let record = try device.database.device(), record.leftAt == nil else {
        throw DeviceError.left(device.container.root)
      }
      try writeDefault(id)
    }
  }

  /// The container that a user means by a folder, an id or the beginning of one.
  ///
  /// A folder that is there comes first, so that one named like an id can be chosen.
  package func container(named text: String) throws -> ContainerID {
    let isFolder = text.contains("/") || isThere(FilePath(text))
    if !isFolder, text.count >= Self.shortestPrefix {
      let found = try containerIDs().filter { $0.description.hasPrefix(text) }
      if let only = found.first, found.count == 1 { return only }
    }
    return try identify(container: FilePath(text))
  }

  /// Which container is meant, without opening its database where that can be avoided.
  ///
  /// - parameter path: the folder, or nil for the default.
  package func identify(container path: FilePath?) throws -> ContainerID {
    guard let path else { return try chosenContainer() }
    if case .silent(let resolved) = ask(path) {
      guard let known = try device(at: resolved, isSilent: true) else {
        throw ContainerError.unreachable(resolved, .timedOut)
      }
      return known.record.container
    }
    let container = ContainerFolder(root: absolute(path), files: files)
    let marker: Marker
    do {
      marker = try container.marker()
    } catch let error as ContainerError {
      guard let known = try device(at: container.root) else { throw error }
      return known.record.container
    }
    if try containerIDs().contains(marker.container) { return marker.container }
    guard let known = try device(at: container.root) else {
      throw DeviceError.notInitialised(container.root, state: root)
    }
    return known.record.container
  }

  private static var shortestPrefix: Int { 4 }

  private func isThere(_ path: FilePath) -> Bool {
    if case .silent = ask(path) { return false }
    return (try? files.status(of: path)) != nil
  }

  private func known(_ id: ContainerID, isDefault: Bool) throws -> KnownContainer? {
    do {
      let device = try open(id, at: nil)
      let marker = try Marker(parsing: device.record.marker, file: device.container.markerFile)
      let counts = try device.database.counts()
      let (isPresent, failure) = presence(of: device)
      let details = KnownContainer.Details(
        device: device.record, identifier: marker.identifier, isPresent: isPresent,
        documents: counts.documents, unpublished: counts.unpublished)
      return KnownContainer(id: id, isDefault: isDefault, details: details, failure: failure)
    } catch DeviceError.notInitialised {
      // An `init` that was interrupted leaves an empty directory.
      return nil
    } catch {
      return KnownContainer(id: id, isDefault: isDefault, details: nil, failure: error)
    }
  }

  private func presence(of device: Device) -> (Bool, (any Error)?) {
    do {
      let isPresent = try device.absence() == nil
      let hasLeft = device.record.leftAt != nil
      return (isPresent, hasLeft ? DeviceError.left(device.container.root) : nil)
    } catch {
      return (false, error)
    }
  }
}
