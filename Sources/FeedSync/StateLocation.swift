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
    func variable(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    if let path = state ?? variable(Self.variable) { return absolute(path) }
    // A relative one is to be ignored (XDG Base Directory Specification): there would be another
    // device in each working directory.
    if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/feedsync" }
    guard let home = variable("HOME") else {
      throw FeedSyncError(
        .configuration, operation: "find the local state", message: "HOME is not set",
        hint: "set FEEDSYNC_STATE, or name it with --state DIR")
    }
    return absolute(home) + "/.local/share/feedsync"
  }

  package static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
  }

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
