import Foundation
import Syncing
import SystemPackage

/// What taking over from an older database came to.
public struct RecoverySummary: Sendable {
  /// The container, with a device that goes on under a new identity.
  public let container: UbiquityContainer
  /// Where the older database is kept.
  public let oldState: String?
  /// How many segments were published out of it that the folder did not have.
  public let recovered: Int
  /// How many removals it held that wait until what they were made on has arrived, and wait in the
  /// new database now.
  public let removals: Int
  /// How many parts of it could not be read any more.
  public let unreadable: Int
  /// Why the first of them could not; nil if all could.
  public let failure: FeedSyncError?
}

extension UbiquityContainer {
  /// Makes this device's database anew from the folder, and keeps the old one aside.
  ///
  ///     let summary = try UbiquityContainer.rebuild("/home/ann/Sync/notes")
  ///     let store = DocumentStore(summary.container)
  ///
  /// For a database that is damaged or not to be trusted. What it can still give is published, then
  /// all that the folder holds is imported. If that is interrupted, this goes on with it when it is
  /// called again, and so does ``join(_:identifier:deviceName:isCreating:state:)``.
  ///
  /// - parameters:
  ///   - folder: The container's folder; nil for that of the default container.
  ///   - state: As for ``init(_:state:)``.
  /// - throws: ``FeedSyncError``: `.noContainer` if the folder is missing, or another container;
  ///   `.configuration` if nothing has been joined; `.tryAgain` while a `watch` of this device
  ///   runs, or another process has the database. Where the folder does not take what the old
  ///   database holds, the error says where that is kept, and the new device is there all the same.
  public static func rebuild(_ folder: String? = nil, state: String? = nil) throws
    -> RecoverySummary
  {
    do {
      let recovery = try StateLocation.directory(named: state).rebuild(
        container: folder.map { StateLocation.absolute($0) },
        fallbackName: ProcessInfo.processInfo.hostName,
        process: "\(ProcessInfo.processInfo.processIdentifier)")
      return try RecoverySummary(recovery)
    } catch {
      throw FeedSyncError(error, operation: "rebuild the database")
    }
  }

  /// Joins the container that stands in a folder where this device had another one, and publishes
  /// all that is held of the other there.
  ///
  ///     let summary = try UbiquityContainer.adopt("/home/ann/Sync/notes")
  ///     let store = DocumentStore(summary.container)
  ///
  /// Two devices that were both initialised before their folders had met need this on one of them.
  /// Called again, it brings along what the syncer has brought of the other container meanwhile.
  ///
  /// - parameters:
  ///   - folder: The folder, with the marker of the container to join.
  ///   - state: As for ``init(_:state:)``.
  /// - throws: ``FeedSyncError``: `.noContainer` if the folder or its marker is missing, or this
  ///   device had no other container there; `.tryAgain` while a `watch` of that runs.
  public static func adopt(_ folder: String, state: String? = nil) throws -> RecoverySummary {
    do {
      let request = DeviceDirectory.Request(
        folder: StateLocation.absolute(folder), identifier: nil, deviceName: nil,
        joinsOnly: true)
      let (_, recovery) = try StateLocation.directory(named: state).adopt(
        request, process: "\(ProcessInfo.processInfo.processIdentifier)")
      return try RecoverySummary(recovery)
    } catch {
      throw FeedSyncError(error, operation: "adopt the container")
    }
  }
}

extension RecoverySummary {
  init(_ recovery: DeviceDirectory.Recovery) throws {
    self.init(
      container: try UbiquityContainer(device: recovery.device),
      oldState: recovery.kept?.string, recovered: recovery.published,
      removals: recovery.removals, unreadable: recovery.unreadable,
      failure: recovery.salvaged.lazy.compactMap(\.failure).first.map {
        FeedSyncError($0, operation: "read the older database")
      })
  }
}

extension DocumentStore {
  /// Notes that a device never comes back: this device looks after its files from now on, puts back
  /// what the folder loses of them, and joins small ones into large ones.
  ///
  ///     try store.retire(lostPhone.id)
  ///
  /// - parameter device: The device's name, its id, or the beginning of that.
  /// - throws: ``FeedSyncError`` with `.notFound` if there is no such device, or several.
  public func retire(_ device: String) throws {
    do {
      let chosen = try self.device.database.stream(named: device)
      guard try chosen.stream != self.device.database.device()?.stream else {
        throw FeedSyncError(
          .usage, operation: "retire the device", message: "this device cannot retire itself")
      }
      try self.device.database.retire(chosen.stream, now: self.device.ambient.now())
    } catch {
      throw FeedSyncError(error, operation: "retire the device")
    }
  }
}
