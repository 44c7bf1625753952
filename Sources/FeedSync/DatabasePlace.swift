import Syncing
import SystemFiles
import SystemPackage

/// Where a database may lie that several processes of this machine open, such as a program's cache
/// beside the store.
public enum DatabasePlace {
  /// The network file system that a directory is on, or would be made on; nil where it is local, or
  /// nobody can tell.
  ///
  /// SQLite's locks and shared memory end at this machine: two that share a home would damage the
  /// database.
  public static func network(of directory: String) -> String? {
    let place = DeviceDirectory(
      root: StateLocation.absolute(FilePath(directory)), files: LinuxFileSystem(),
      ambient: .system)
    guard case .unfit(let name) = place.fitness() else { return nil }
    return name
  }
}
