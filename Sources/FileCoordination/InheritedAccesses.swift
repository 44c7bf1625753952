import Glibc

/// The accesses that a process was started in, as its environment has them.
///
/// Whoever runs a program inside of an accessor waits for its end, as a rule. So what that program
/// claims is part of the access, as what is claimed in the accessor itself: it goes past those who
/// wait for the access, and to wait for the access would be to wait for itself.
package enum InheritedAccesses {
  /// The variable that names them: two hexadecimal numbers each, set apart by commas.
  package static let variable = "FEEDSYNC_ACCESSES"

  /// No more are named, the innermost; an environment has a limit.
  private static let maximum = 64

  /// Those of this process.
  static let ofProcess: [CoordinationKey] = getenv(variable).map { keys(String(cString: $0)) } ?? []

  /// What the variable is for a process that is started here; empty outside of all accessors.
  package static var text: String {
    text(of: ofProcess + CoordinationContext.current.held)
  }

  static func text(of keys: [CoordinationKey]) -> String {
    keys.suffix(maximum)
      .map { "\(String($0.member, radix: 16))-\(String($0.number, radix: 16))" }
      .joined(separator: ",")
  }

  /// Whatever names no access is left out: anybody may have set it to anything.
  static func keys(_ text: String) -> [CoordinationKey] {
    text.split(separator: ",").suffix(maximum).compactMap { word in
      let parts = word.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2, let member = UInt64(parts[0], radix: 16),
        let number = UInt64(parts[1], radix: 16)
      else { return nil }
      return CoordinationKey(member: member, number: number)
    }
  }
}
