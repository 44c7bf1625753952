import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage

/// What a diagnosis looks at: gathered once, so that all checks speak of the same.
package struct Patient {
  /// The state directory, with the devices in it.
  package let directory: DeviceDirectory
  /// The device; nil if it cannot be opened.
  package let device: Syncing.Device?
  /// Why the device cannot be opened.
  package let failure: (any Error)?
  /// The container asked about, also where its device cannot be opened; nil if that is unknown.
  package let containerID: ContainerID?
  /// The folder, as far as it is known which one it is.
  package let container: ContainerFolder?
  /// Why the folder cannot be used now; nil if it can, or is not known.
  package let absence: FeedSyncError?
  /// What is in the folder; nil if it is away or cannot be listed.
  package let listing: FolderListing?
  package let facts: MachineFacts

  /// - parameter path: the folder asked for; nil for the default one.
  package init(directory: DeviceDirectory, path: FilePath?, facts: MachineFacts) {
    self.directory = directory
    self.facts = facts
    var failure: (any Error)?
    do {
      device = try directory.open(container: path, evenIfLeft: true)
    } catch {
      device = nil
      failure = error
    }
    self.failure = failure
    containerID = device?.record.container ?? (try? directory.identify(container: path))
    container = device?.container ?? path.flatMap { Self.container(at: $0, in: directory) }
    absence = device.flatMap { Self.absence(of: $0) }
    listing = absence == nil ? try? device?.container.list() : nil
  }

  /// The folder without its device, unless its file system does not answer.
  private static func container(at path: FilePath, in directory: DeviceDirectory)
    -> ContainerFolder?
  {
    guard directory.answers(path) else { return nil }
    return ContainerFolder(root: path, files: directory.files)
  }

  private static func absence(of device: Syncing.Device) -> FeedSyncError? {
    do {
      return try device.absence().map { FeedSyncError($0, operation: "reach the folder") }
    } catch {
      return FeedSyncError(error, operation: "reach the folder")
    }
  }

  /// The device, where its folder can be used too.
  package var deviceAtHand: Syncing.Device? { absence == nil ? device : nil }

  /// The folder, if it can be looked into.
  package var folderAtHand: ContainerFolder? { absence == nil ? container : nil }

  /// The device's directory in the state.
  package var deviceState: FilePath? {
    device.map { directory.directory(of: $0.record.container) }
  }

  /// How people know a device: by its name, or else the beginning of its id.
  package func description(of stream: StreamID, name: String?) -> DeviceDescription {
    DeviceDescription(id: stream.description, name: name)
  }
}

/// What a diagnosis asks of the machine, passed in so that a test can say otherwise.
package struct MachineFacts: Sendable {
  package var accounts: Accounts
  package var freeSpace: @Sendable (FilePath) -> FreeSpace?
  /// Why the kernel would not let these directories be watched; nil if it would.
  package var watching: @Sendable ([FilePath]) -> String?

  package init(
    accounts: Accounts, freeSpace: @escaping @Sendable (FilePath) -> FreeSpace?,
    watching: @escaping @Sendable ([FilePath]) -> String?
  ) {
    self.accounts = accounts
    self.freeSpace = freeSpace
    self.watching = watching
  }
}
