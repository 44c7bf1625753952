import BackgroundService
import SystemFiles
import SystemPackage

/// One user's home in memory, with a systemd that reads units there.
struct Scene {
  static let directory: FilePath = "/home/ann/.config/systemd/user"

  let files = InMemoryFileSystem()
  let manager: FakeUserManager
  let installer: ServiceInstaller

  init() {
    files.putDirectory("/home/ann")
    manager = FakeUserManager(files: files, directory: Self.directory)
    installer = ServiceInstaller(
      directory: Self.directory, files: files, manager: UserManager(runner: manager),
      temporaryName: {
        FilePath.Component(".feedsync-\(UInt64.random(in: .min ... .max)).nosync") ?? "x"
      })
  }

  /// The names under the home that are no directories.
  var names: [String] {
    files.tree.split(separator: "\n").map { String($0) }
      .filter { !$0.hasPrefix("directory") }
  }

  func text(_ unit: UnitName) -> String? {
    files.bytes(at: installer.file(of: unit)).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension WatchService {
  /// A service that differs from the usual one in what is given.
  static func sample(
    id: String = "3f2a9c81d45e00000000000000000000",
    executable: String = "/home/ann/.local/bin/feedsync",
    state: String = "/home/ann/.local/share/feedsync", container: String = "/home/ann/Sync/notes",
    identifier: String = "org.example.notes", umask: UInt32 = 0o022
  ) throws -> WatchService {
    try WatchService(
      unit: UnitName(container: id, state: FilePath(state), isUsual: true),
      executable: FilePath(executable), state: FilePath(state),
      container: FilePath(container), identifier: identifier, umask: umask)
  }

  /// Paths that a careless writer of a unit or a crontab breaks.
  static let awkward = [
    "a b", "100%", "%h", "%%", "\"quoted\"", "it's", "back\\slash", "two\\\\", "end\\", "$HOME",
    "${HOME}", "$$", "`id`", ";", "#", "é→😀", "*", "!", "a\\%b", "\\'%", "'", "~", "\u{2028}",
  ].map { "/home/ann/\($0)/x" }

  /// Each sign is another character with the accent that follows it.
  static let accented = ["%", "$", "\"", "\\", " ", ""].map { "/home/ann/\($0)\u{301}/x" }
}
