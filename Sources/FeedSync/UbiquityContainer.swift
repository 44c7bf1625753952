import Foundation
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage

/// A synced folder that this device has joined: what a document store keeps its logs in.
///
/// A device is one local state directory together with one container. Programs and the command
/// `feedsync` that use the same state are one device; the store lets any number of processes work
/// at once.
///
///     let container = try UbiquityContainer.join("/home/ann/Sync/notes")
///     let store = DocumentStore(container)
///
/// Paths are UTF-8; relative ones are meant from the current directory.
public struct UbiquityContainer: Sendable {
  let device: Syncing.Device
  /// What the container is for, as its maker named it, such as `org.example.notes`.
  public let identifier: String
  /// The database's file as it was when this was opened; nil if nobody can say.
  let databaseFile: FileStatus?

  /// Opens a container that this device has joined before, whether or not the folder is there now.
  ///
  /// - parameters:
  ///   - folder: The synced folder; nil for the default one of this state: the one
  ///     joined last, unless `feedsync containers default` chose another.
  ///   - state: The directory of the local databases; nil for `$FEEDSYNC_STATE`, else
  ///     `$XDG_DATA_HOME/feedsync`, else `~/.local/share/feedsync`.
  /// - throws: ``FeedSyncError``: `.configuration` if nothing has been joined yet, or a newer
  ///   feedsync has upgraded the database; `.noContainer` if another container stands there, or
  ///   the folder is missing and was never joined; `.cannotRead` if the state that is named is not
  ///   there.
  public init(_ folder: String? = nil, state: String? = nil) throws {
    let operation = "open the container"
    do {
      let directory = try StateLocation.directory(named: state)
      let path = folder.map { StateLocation.absolute($0) }
      try self.init(device: try directory.open(container: path))
      // Another container under the path ends it here, before anything is written.
      _ = try device.absence()
    } catch {
      throw FeedSyncError(error, operation: operation)
    }
  }

  package init(device: Syncing.Device) throws {
    self.device = device
    databaseFile = try? LinuxFileSystem().status(of: device.database.file)
    identifier = try Marker(
      parsing: device.record.marker, file: device.container.markerFile
    ).identifier
  }

  /// Makes a folder a container, or joins the one that it is.
  ///
  /// Done again, it joins as the same device: takes over a new path or name, comes back if it had
  /// left, and makes this container the state's default.
  ///
  /// The first device makes the container; on others the syncer must have brought the folder first,
  /// or they make another one.
  /// - parameters:
  ///   - folder: The synced folder, which must be there.
  ///   - identifier: What the container is for; nil for any. A container that has another one is
  ///     refused.
  ///   - deviceName: What other devices call this one, 1 to 64 bytes; nil to keep its
  ///     name, or for the host's.
  ///   - isCreating: Whether a container may be made where there is none yet. Where another
  ///     container has come in the place of one that this state knows, it is joined only with
  ///     false: what is here would go out of sight (`feedsync init DIR --adopt` brings it along).
  ///   - state: As for ``init(_:state:)``.
  /// - throws: ``FeedSyncError``: `.noContainer` if the folder is missing, or nothing is there to
  ///   join, or another container than before; `.badInput` for a device's name that is none;
  ///   `.configuration` for another identifier, or if folder and state lie in one another.
  public static func join(
    _ folder: String, identifier: String? = nil, deviceName: String? = nil,
    isCreating: Bool = true, state: String? = nil
  ) throws -> UbiquityContainer {
    do {
      if let deviceName { try DeviceNameRules.check(deviceName, operation: "join the container") }
      let request = DeviceDirectory.Request(
        folder: StateLocation.absolute(folder), identifier: identifier,
        deviceName: deviceName, fallbackName: ProcessInfo.processInfo.hostName,
        joinsOnly: !isCreating)
      let done = try StateLocation.directory(named: state).initialise(request)
      return try UbiquityContainer(device: done.device)
    } catch {
      throw FeedSyncError(error, operation: "join the container")
    }
  }
}

extension UbiquityContainer {
  /// The container's random id, 32 hexadecimal digits, the same on all devices.
  public var id: String { device.record.container.description }

  /// Where the folder is on this machine.
  public var folder: String { device.container.root.string }

  /// This device, as others see it.
  public var thisDevice: DeviceDescription {
    DeviceDescription(id: device.record.stream.description, name: device.record.name)
  }

  /// Why the folder cannot be used now; nil if it can.
  ///
  /// While it is away, reading and writing go on locally, and what was written is published when it
  /// is back.
  /// - throws: ``FeedSyncError`` with `.noContainer` if another container stands there: then
  ///   nothing may be written at all.
  public func absence() throws -> FeedSyncError? {
    do {
      // One that did not answer when it was opened may do so again.
      return try device.asked().absence().map { FeedSyncError($0, operation: "reach the folder") }
    } catch {
      throw FeedSyncError(error, operation: "reach the folder")
    }
  }
}

/// A device that writes into a container.
public struct DeviceDescription: Hashable, Codable, Sendable {
  /// The id of its stream, 32 hexadecimal digits.
  public let id: String
  /// What its user called it; nil as long as nothing of it has arrived.
  public let name: String?
}
