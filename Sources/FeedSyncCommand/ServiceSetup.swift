import BackgroundService
import FeedSync
import Foundation
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage

/// Gathers what a service is made of from the options, the environment and the system.
struct ServiceSetup {
  let global: GlobalOptions
  private let environment = ProcessInfo.processInfo.environment
  private let files = LinuxFileSystem()

  init(_ global: GlobalOptions) { self.global = global }

  /// The service that watches the device's container.
  func service(of device: Device) throws -> WatchService {
    let marker = try Marker(
      parsing: device.record.marker, file: device.container.markerFile)
    return try WatchService(
      unit: try unit(device.record.container), executable: try program(), state: try state(),
      container: device.container.root, identifier: marker.identifier, umask: currentUmask())
  }

  /// The unit's name, also where the device's database cannot be opened.
  func unit() throws -> UnitName {
    try unit(try global.directory().identify(container: global.containerPath()))
  }

  private func unit(_ container: ContainerID) throws -> UnitName {
    let state = try state()
    let usual = home.map { $0.appending(".local/share/feedsync") }
      .flatMap { try? files.canonicalPath(of: $0) }
    return UnitName(
      container: container.description, state: state, isUsual: usual == state)
  }

  private func state() throws -> FilePath {
    try files.canonicalPath(of: try global.directory().root)
  }

  private var home: FilePath? {
    environment["HOME"].flatMap { $0.isEmpty ? nil : FilePath($0) }
  }

  private func program() throws -> FilePath {
    ProgramPath.choose(
      called: CommandLine.arguments.first ?? "", searchPath: environment["PATH"] ?? "",
      workingDirectory: FilePath(FileManager.default.currentDirectoryPath),
      own: try files.canonicalPath(of: "/proc/self/exe"),
      resolve: { try? files.canonicalPath(of: $0) })
  }

  /// Which can be read only by setting it.
  private func currentUmask() -> UInt32 {
    let mask = umask(0o077)
    umask(mask)
    return mask
  }

  // MARK: The user's systemd

  func installer() throws -> ServiceInstaller {
    ServiceInstaller(
      directory: try configuration().appending("systemd/user"), files: files,
      manager: UserManager(runner: ProcessRunner(environment: managerEnvironment)),
      temporaryName: { Ambient.system.temporaryName() })
  }

  /// `$XDG_CONFIG_HOME`, which counts only where it is absolute, else `~/.config`.
  private func configuration() throws -> FilePath {
    if let path = environment["XDG_CONFIG_HOME"], path.hasPrefix("/") { return FilePath(path) }
    guard let home else {
      throw FeedSyncError(
        .configuration, operation: "find the service's unit", message: "HOME is not set",
        hint: "set HOME, or XDG_CONFIG_HOME")
    }
    return home.appending(".config")
  }

  /// What systemctl needs: over `su` and from cron, nobody says where the user's systemd listens.
  private var managerEnvironment: [String: String] {
    var result = environment
    let usual = "/run/user/\(getuid())"
    if result["XDG_RUNTIME_DIR"] == nil, FileManager.default.fileExists(atPath: usual) {
      result["XDG_RUNTIME_DIR"] = usual
    }
    return result
  }

  /// Whether the user's services run from boot on, not only while the user is logged in.
  static var lingers: Bool {
    guard let entry = getpwuid(getuid()) else { return false }
    let name = String(cString: entry.pointee.pw_name)
    return FileManager.default.fileExists(atPath: "/var/lib/systemd/linger/" + name)
  }
}
