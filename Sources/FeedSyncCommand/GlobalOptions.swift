import ArgumentParser
import FeedSync
import Foundation
import Syncing
import SystemFiles
import SystemPackage

extension OutputFormat: ExpressibleByArgument {}

/// What every command takes.
struct GlobalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where this device keeps its database (default: $FEEDSYNC_STATE, else the user's own).",
      valueName: "dir"), completion: .directory)
  var state: String?

  @Option(
    help: ArgumentHelp(
      "The synced folder (default: $FEEDSYNC_CONTAINER, else the default container).",
      valueName: "dir"), completion: .directory)
  var container: String?

  @Option(help: "How results and errors are printed.")
  var format: OutputFormat = .text

  @Flag(help: "Say more on standard error.")
  var verbose = false

  private static let environment = ProcessInfo.processInfo.environment

  private static func variable(_ name: String) -> String? {
    environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  func directory() throws -> DeviceDirectory {
    DeviceDirectory(
      root: FilePath(try statePath()), files: LinuxFileSystem(), ambient: .system)
  }

  private func statePath() throws -> String {
    if let path = state ?? Self.variable("FEEDSYNC_STATE") { return absolute(path) }
    if let data = Self.variable("XDG_DATA_HOME") { return absolute(data) + "/feedsync" }
    guard let home = Self.variable("HOME") else {
      throw FeedSyncError(
        .configuration, operation: "find the local state", message: "HOME is not set",
        hint: "set FEEDSYNC_STATE, or name it with --state DIR")
    }
    return absolute(home) + "/.local/share/feedsync"
  }

  private func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
  }

  /// The folder that an option or a variable names, if one does.
  func containerPath() -> FilePath? {
    let path = container ?? Self.variable("FEEDSYNC_CONTAINER")
    return path.map { FilePath(absolute($0)) }
  }

  /// Opens the device, wherever its folder is.
  func device() throws -> Device {
    try directory().open(container: containerPath())
  }

  /// Opens the device; another container under the path ends the command before anything else.
  ///
  /// - parameter needsFolder: whether the command cannot do without the folder. If it can, and the
  ///   folder is away, a warning says so.
  func open(needsFolder: Bool) throws -> Device {
    let device = try device()
    guard let absence = try device.absence() else { return device }
    guard !needsFolder else { throw absence }
    let error = FeedSyncError(absence, operation: "reach the folder")
    Output.warn(
      "feedsync: warning: \(error.file ?? ""): \(error.message); working locally, and"
        + " publishing when it is back")
    return device
  }
}

extension Ambient {
  /// The system's clock and randomness.
  static let system = Ambient(
    now: {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    },
    random: { UInt64.random(in: .min ... .max) })
}

/// A command with the global options.
protocol StoreCommand: AsyncParsableCommand {
  var global: GlobalOptions { get }
}
