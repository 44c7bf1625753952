import SystemPackage

/// Why a service cannot be set up or taken away.
package enum ServiceError: Error, Equatable, Sendable {
  /// A path that neither a unit file nor a crontab can hold: it is not UTF-8, or has a line break
  /// or another control character.
  case unwritable(FilePath)
  /// Something that feedsync did not write has the unit's name.
  case notOurs(FilePath)
  /// The user's systemd refused.
  case refused(command: String, detail: String)
}
