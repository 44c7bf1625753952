import ArgumentParser
import FeedSync
import Foundation
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage

extension OutputFormat: ExpressibleByArgument {}

/// What every command takes.
struct GlobalOptions: ParsableArguments {
  @Option(help: "Where this device keeps its database (default: $FEEDSYNC_STATE, else …/feedsync).")
  var state: String?

  @Option(help: "The synced folder (default: $FEEDSYNC_CONTAINER, else the last one initialised).")
  var container: String?

  @Option(help: "text or json.")
  var format: OutputFormat = .text

  @Flag(help: "Say more on standard error.")
  var verbose = false

  private static let environment = ProcessInfo.processInfo.environment

  private static func variable(_ name: String) -> String? {
    environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// How long a network file system may take to answer before a command goes on without it, and
  /// before one that cannot do without it gives up.
  private static let patience = (local: 5.0, folder: 15.0)

  func directory(needsFolder: Bool = true) throws -> DeviceDirectory {
    let probe = FolderProbe(seconds: needsFolder ? Self.patience.folder : Self.patience.local)
    return DeviceDirectory(
      root: FilePath(try statePath()), files: LinuxFileSystem(), ambient: .system,
      ask: { probe.ask($0, file: Marker.name) })
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

  /// Opens the device; another container under the path ends the command before anything else.
  ///
  /// - parameter needsFolder: whether the command cannot do without the folder. If it can, and the
  ///   folder is away, a warning says so.
  func open(needsFolder: Bool) throws -> Device {
    let path = container ?? Self.variable("FEEDSYNC_CONTAINER")
    let device = try directory(needsFolder: needsFolder).open(
      container: path.map { FilePath(absolute($0)) })
    guard let absence = try device.absence() else { return device }
    guard !needsFolder else { throw absence }
    let error = FeedSyncError(absence, operation: "reach the folder")
    Output.warning(
      FeedSyncError(
        error.code, operation: error.operation, file: error.file,
        message: "\(error.message); working locally, and publishing when it is back",
        hint: error.hint))
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
