import SystemPackage

/// The name of the systemd unit that watches one container: the same whenever it is asked for.
///
///     UnitName(container: "3f2a9c81…", state: "/home/ann/.local/share/feedsync", isUsual: true)
///     // feedsync-3f2a9c81d45e.service
package struct UnitName: Hashable, Sendable, CustomStringConvertible {
  private static let prefix = "feedsync-"
  private static let suffix = ".service"
  private static let containerDigits = 12

  package let description: String

  /// - parameter isUsual: whether the state lies where it does unless told otherwise. A second
  ///   state of one user may have a device in the same container, so its path is told apart.
  package init(container: String, state: FilePath, isUsual: Bool) {
    let short = container.prefix(Self.containerDigits)
    let place = isUsual ? "" : "-" + Self.hash(state.string)
    description = Self.prefix + short + place + Self.suffix
  }

  /// Takes a file's name; nil unless it may be such a unit.
  package init?(file name: String) {
    guard name.hasPrefix(Self.prefix), name.hasSuffix(Self.suffix) else { return nil }
    description = name
  }

  /// FNV-1a, 32 bits: only has to differ between the few states of one user.
  private static func hash(_ text: String) -> String {
    let value = text.utf8.reduce(UInt32(0x811c_9dc5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
