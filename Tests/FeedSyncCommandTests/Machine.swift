import CanonicalJSON
import Foundation
import Testing

/// One folder and the state of one or more devices on it, driven through the command.
final class Machine: Sendable {
  let scratch: Scratch
  var root: URL { scratch.url }
  var folder: URL { root.appending(path: "folder") }
  var home: URL { root.appending(path: "home") }
  var state: URL { root.appending(path: "state") }

  /// - parameter initialised: whether `init` has been run.
  init(initialised: Bool = true) throws {
    scratch = try Scratch()
    for directory in [folder, home] { try Self.makeDirectory(directory) }
    if initialised {
      let run = try feedsync("init", folder.path, "--device-name", "ann")
      try #require(run.status == 0, "\(run.errors)")
    }
  }

  static func makeDirectory(_ url: URL) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// As few variables as cron gives.
  var bareEnvironment: [String: String] { ["HOME": home.path, "PATH": "/usr/bin:/bin"] }

  var environment: [String: String] {
    bareEnvironment.merging(["FEEDSYNC_STATE": state.path]) { $1 }
  }

  @discardableResult
  func feedsync(
    _ arguments: String..., input: String = "", environment: [String: String]? = nil,
    directory: URL? = nil
  ) throws -> CommandRun {
    try Command.run(
      arguments, environment: environment ?? self.environment, input: Array(input.utf8),
      directory: directory)
  }

  /// The environment of another device on the same folder.
  func other(_ name: String) -> [String: String] {
    bareEnvironment.merging([
      "FEEDSYNC_STATE": root.appending(path: name).path, "FEEDSYNC_CONTAINER": folder.path,
    ]) { $1 }
  }

  /// Makes another device on the same folder; returns its environment.
  func joined(_ name: String) throws -> [String: String] {
    let run = try feedsync(
      "init", folder.path, "--device-name", name, environment: other(name))
    try #require(run.status == 0, "\(run.errors)")
    return other(name)
  }

  /// The files under `logs/`.
  func logs() throws -> [URL] {
    let logs = folder.appending(path: "logs")
    let directories =
      (try? FileManager.default.contentsOfDirectory(
        at: logs, includingPropertiesForKeys: nil)) ?? []
    return try directories.flatMap {
      try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
    }.sorted { $0.path < $1.path }
  }

  /// The device's directory in the state.
  func deviceState() throws -> URL {
    let names = try FileManager.default.contentsOfDirectory(atPath: state.path)
    let name = try #require(names.first { $0.count == 32 })
    return state.appending(path: name)
  }

  func mode(_ url: URL) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    return try #require(attributes[.posixPermissions] as? Int)
  }
}
