import DocumentStorage
import Foundation
import Replication
import Syncing

extension DocumentStore {
  /// Gives this device another name, here and, as soon as they import it, on the others.
  ///
  /// - parameter name: 1 to 64 bytes, for people; the device stays the same.
  /// - throws: ``FeedSyncError`` with `.badInput` for a name that is none.
  public func renameThisDevice(to name: String) throws {
    let operation = "rename the device"
    guard DeviceName.isValid(name) else {
      throw FeedSyncError(
        .badInput, operation: operation,
        message: "a device's name has 1 to \(DeviceName.maximumBytes) bytes"
          + " and no control characters")
    }
    do {
      _ = try device.database.renameDevice(
        to: name, now: device.ambient.time, nonce: device.nonce)
      if try device.absence() == nil { _ = try Publisher(device: device).publishAll() }
    } catch {
      throw FeedSyncError(error, operation: operation)
    }
  }
}

/// A container that a state directory has a device in.
public struct ContainerDescription: Sendable {
  /// The container's id, 32 hexadecimal digits.
  public let id: String
  /// What it is for; nil if its database cannot be opened.
  public let identifier: String?
  /// Where its folder was last; nil if its database cannot be opened.
  public let folder: String?
  /// Whether it is the one that is opened where none is named.
  public let isDefault: Bool
  /// Why it cannot be used, if so: left, another container in its place, a newer database.
  public let failure: FeedSyncError?
}

extension UbiquityContainer {
  /// The containers of a state directory, sorted by id.
  ///
  /// - parameter state: As for ``init(_:state:)``.
  public static func all(state: String? = nil) throws -> [ContainerDescription] {
    do {
      return try StateLocation.directory(named: state).containers().map { known in
        ContainerDescription(
          id: known.id.description, identifier: known.details?.identifier,
          folder: known.details?.device.path.string, isDefault: known.isDefault,
          failure: known.failure.map { FeedSyncError($0, operation: "open the container") })
      }
    } catch {
      throw FeedSyncError(error, operation: "list the containers")
    }
  }

  /// Takes this device out of the container; what it wrote stays in the folder for the others.
  ///
  /// The local database is kept and takes no more writes; joining again comes back as the same
  /// device.
  /// - parameter state: The state directory that it was opened with.
  /// - throws: ``FeedSyncError``, with nothing changed: `.noContainer` if something could not be
  ///   published because the folder is away, `.tryAgain` if another process watches the device.
  public func leave(state: String? = nil) throws {
    do {
      _ = try StateLocation.directory(named: state).leave(
        device, .published, process: "\(ProcessInfo.processInfo.processIdentifier)")
    } catch {
      throw FeedSyncError(error, operation: "leave the container")
    }
  }
}
