import FileCoordination
import Foundation
import SystemPackage

/// Where the programs of this user coordinate their accesses to files.
public enum UserCoordination {
  /// The domain of a state directory: those who name the same one coordinate with one another.
  ///
  ///     let domain = try UserCoordination.domain()
  ///     let coordinator = try FileCoordinator(domain)
  ///     try coordinator.write("/home/ann/Sync/notes.txt") { path in … }
  ///
  /// The directory is made if it is missing, for this user alone. Nothing depends on
  /// `XDG_RUNTIME_DIR`, which cron does not have.
  ///
  /// - parameter state: the state directory, as of ``UbiquityContainer``; nil: the user's own.
  /// - throws: ``FeedSyncError``, such as `.notPermitted` for one that others may reach into.
  public static func domain(state: String? = nil) throws(FeedSyncError) -> CoordinationDomain {
    let path = try StateLocation.path(named: state)
    do {
      if !FileManager.default.fileExists(atPath: path) {
        try FileManager.default.createDirectory(
          atPath: path, withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700])
      }
      return try CoordinationDomain.inState(FilePath(path))
    } catch let error as CoordinationError {
      throw FeedSyncError(coordination: error, operation: "coordinate")
    } catch {
      throw FeedSyncError(
        .cannotWrite, operation: "coordinate", file: path,
        message: "the state directory cannot be made: \(error.localizedDescription)")
    }
  }
}
