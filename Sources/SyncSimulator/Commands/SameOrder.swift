import Foundation

/// Makes sets and dictionaries iterate in the same order in each run, so that a seed repeats
/// exactly what it did.
enum SameOrder {
  private static let variable = "SWIFT_DETERMINISTIC_HASHING"

  /// Begins the program anew where the order would be a random one.
  static func ensure() {
    guard getenv(variable) == nil else { return }
    setenv(variable, "1", 1)
    var arguments = CommandLine.arguments.map { strdup($0) }
    arguments.append(nil)
    // Returns only where it fails; then a seed may not repeat.
    execv("/proc/self/exe", arguments)
  }
}
