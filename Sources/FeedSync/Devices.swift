import DocumentStorage
import Foundation
import Replication
import Syncing

extension DocumentStore {
  /// Gives this device another name, here and, as soon as they import it, on the others.
  ///
  ///     try store.renameThisDevice(to: "ann's laptop")
  ///
  /// A ``UbiquityContainer`` that is open keeps the name that it read.
  /// - parameter name: 1 to 64 bytes, for people; the device stays the same.
  /// - returns: The transaction that carries the name, if it is new.
  /// - throws: ``FeedSyncError`` with `.badInput` for a name that is none, `.noContainer` if
  ///   another container stands under the folder's path.
  @discardableResult
  public func renameThisDevice(to name: String) throws -> WriteResult<Void> {
    let operation = "rename the device"
    try DeviceNameRules.check(name, operation: operation)
    do {
      let absence = try device.absence()
      let result = try device.database.renameDevice(
        to: name, now: device.ambient.time, nonce: device.nonce)
      return WriteResult(
        value: (), changedCount: result.changed, transaction: TransactionID(result),
        publishingFailure: absence.map { FeedSyncError($0, operation: "publish") } ?? publish())
    } catch {
      throw FeedSyncError(error, operation: operation)
    }
  }
}

/// What a device may be called.
package enum DeviceNameRules {
  package static func check(_ name: String, operation: String) throws(FeedSyncError) {
    guard DeviceName.isValid(name) else {
      throw FeedSyncError(
        .badInput, operation: operation,
        message: "a device's name has 1 to \(DeviceName.maximumBytes) bytes"
          + " and no control characters")
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
  /// - throws: ``FeedSyncError``, with nothing changed: `.noContainer` if something could not be
  ///   published because the folder is away, `.tryAgain` if `feedsync watch` runs on the device,
  ///   removals wait for what they were made on, an older database has not given all that it
  ///   holds, or somebody writes meanwhile.
  public func leave() throws {
    do {
      let state = device.database.file.removingLastComponent().removingLastComponent()
      _ = try StateLocation.directory(named: state.string).leave(
        device, .published, process: "\(ProcessInfo.processInfo.processIdentifier)")
    } catch {
      throw FeedSyncError(error, operation: "leave the container")
    }
  }
}
