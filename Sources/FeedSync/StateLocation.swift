import Foundation
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage

/// Where devices keep their databases, and how paths that users give are meant.
package enum StateLocation {
  /// What names the state directory where no option does.
  private static let variable = "FEEDSYNC_STATE"

  /// The state directory: the one named, else `FEEDSYNC_STATE`, else `$XDG_DATA_HOME/feedsync`,
  /// else `~/.local/share/feedsync`.
  package static func path(
    named state: String?, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(FeedSyncError) -> String {
    func variable(_ name: String) throws(FeedSyncError) -> String? {
      guard let value = environment[name], !value.isEmpty else { return nil }
      // Foundation mends it silently, and there would be another device at another place.
      guard getenv(name).map({ String(validatingCString: $0) != nil }) ?? true else {
        throw unusable("\(name) is not UTF-8", file: nil)
      }
      return value
    }
    let named = if let state { Optional(state) } else { try variable(Self.variable) }
    if let named { return followed(try full(named)) }
    // A relative one is to be ignored (XDG Base Directory Specification): there would be another
    // device in each working directory.
    if let data = try variable("XDG_DATA_HOME"), data.hasPrefix("/") {
      return followed(data + "/feedsync")
    }
    guard let home = try variable("HOME") else { throw unusable("HOME is not set", file: nil) }
    return followed(try full(home) + "/.local/share/feedsync")
  }

  /// The directory that is meant, where a symbolic link has its name: it was moved to another disk.
  ///
  /// Nothing in the state is reached through links, but it belongs to the user, and so does the
  /// way to it. Links above it are left in the path: a unit and its name go by that.
  private static func followed(_ path: String) -> String {
    let files = LinuxFileSystem()
    let link = FilePath(path)
    // A link that leads nowhere, as to a disk that is not mounted, is told by whoever opens it.
    guard let status = try? files.status(of: link), status.kind == .symbolicLink,
      let place = try? files.canonicalPath(of: link), let text = String(validating: place)
    else { return path }
    return text
  }

  /// SQLite is given its path as text.
  private static func full(_ path: String) throws(FeedSyncError) -> String {
    let full = absolute(path)
    guard full.isAbsolute else { throw unusable("the working directory is gone", file: path) }
    guard let text = String(validating: full) else {
      throw unusable("the path of the working directory is not UTF-8", file: path)
    }
    return text
  }

  private static func unusable(_ message: String, file: String?) -> FeedSyncError {
    FeedSyncError(
      .configuration, operation: "find the local state", file: file, message: message,
      hint: "set FEEDSYNC_STATE to the full path of a directory, or name it with --state DIR")
  }

  /// The path that is meant, seen from the working directory.
  ///
  /// By the bytes that the system says: Foundation mends silently what is not UTF-8, which is
  /// another path then. Where the working directory is gone it stays relative, so that nothing is
  /// found: what is meant is not in the root.
  package static func absolute(_ path: FilePath) -> FilePath {
    guard path.isRelative, let here = getcwd(nil, 0) else { return path }
    defer { free(here) }
    return FilePath(platformString: here).appending(path.components)
  }

  /// The same for a path as text.
  package static func absolute(_ path: String) -> FilePath { absolute(FilePath(path)) }

  /// The devices whose databases are in the state directory, on the real file system.
  ///
  /// - parameter patience: How many seconds a network file system may take to answer before it
  ///   counts as away.
  package static func directory(
    named state: String?, patience: Double = 5
  ) throws(FeedSyncError) -> DeviceDirectory {
    let probe = FolderProbe(seconds: patience)
    let environment = ProcessInfo.processInfo.environment
    return DeviceDirectory(
      root: FilePath(try path(named: state, environment: environment)),
      isRootNamed: state != nil || environment[variable]?.isEmpty == false,
      files: LinuxFileSystem(), ambient: .system,
      ask: { probe.ask($0, file: Marker.name) })
  }
}

extension Ambient {
  /// The system's clock and randomness.
  package static let system = Ambient(
    now: {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    },
    random: { UInt64.random(in: .min ... .max) },
    environment: { FileOrigin.describe($0) })
}
