import SystemPackage

/// What is to run in the background: which program, on which device.
///
/// All paths are absolute and fit into a unit file and a crontab.
package struct WatchService: Equatable, Sendable {
  package let unit: UnitName
  package let executable: String
  package let state: String
  package let container: String
  /// What the container is for; it comes from the shared folder, so it may hold anything.
  package let identifier: String
  /// Which permissions new files do not get: as when feedsync is called by hand.
  package let umask: UInt32

  /// - throws: ``ServiceError/unwritable(_:)`` for a path that cannot be written down.
  package init(
    unit: UnitName, executable: FilePath, state: FilePath, container: FilePath,
    identifier: String, umask: UInt32
  ) throws(ServiceError) {
    self.unit = unit
    self.executable = try Self.text(of: executable)
    self.state = try Self.text(of: state)
    self.container = try Self.text(of: container)
    self.identifier = identifier
    self.umask = umask
  }

  private static func text(of path: FilePath) throws(ServiceError) -> String {
    guard let text = String(validating: path),
      !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else { throw .unwritable(path) }
    return text
  }

  /// What `watch` is called with.
  package var watchArguments: [String] {
    ["watch", "--state", state, "--container", container]
  }

  /// What cron calls.
  package var importArguments: [String] {
    ["import", "--once", "--state", state, "--container", container]
  }

  /// The umask in four octal digits.
  var umaskDigits: String {
    let digits = String(umask & 0o777, radix: 8)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
