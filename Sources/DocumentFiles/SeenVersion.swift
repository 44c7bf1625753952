/// What somebody saw as a document's current version when he decided what becomes of it.
///
///     let seen = SeenVersion(try documents.currentVersion(of: "report.txt"))
///     // … and when the user has looked at the versions, and chosen one:
///     try await documents.resolve("report.txt", keeping: chosen, expecting: seen)
public enum SeenVersion: Hashable, Sendable {
  /// Nobody has looked: it may be anything.
  case whatever
  /// There was none.
  case nothing
  /// It was this one.
  case version(FileVersion)

  /// What was listed as current, or that there was none.
  public init(_ listed: FileVersion?) { self = listed.map { .version($0) } ?? .nothing }

  /// Whether what is current now is what was seen.
  func isStill(_ found: FileVersion?) -> Bool {
    switch self {
    case .whatever: true
    case .nothing: found == nil
    case .version(let seen): found?.stamp == seen.stamp
    }
  }
}
