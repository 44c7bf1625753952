import SystemPackage

/// Hints that something may have changed in folders that somebody has read.
///
/// Subscribe, then look: what changes in a folder after ``watch(_:)`` is hinted at. A hint is never
/// the truth: the folder is.
package protocol FolderHints: Sendable {
  /// Begins to watch a folder, or goes on: another one may have its path by now.
  func watch(_ folder: FilePath)
  /// Ends watching a folder, but not the folders in it.
  func forget(_ folder: FilePath)
  /// What may have changed since this was asked last.
  func take() -> FolderHint
  /// Whether all that happens in the folders watched is hinted at; if not, they have to be read
  /// again from time to time.
  var seesAll: Bool { get }
}

/// Where something may have changed.
package enum FolderHint: Hashable, Sendable {
  /// In these folders; none if nothing is known to have changed.
  case folders(Set<FilePath>)
  /// Hints were lost.
  case everything

  /// Nowhere.
  package static let nothing = FolderHint.folders([])

  /// Both together.
  package func union(_ other: FolderHint) -> FolderHint {
    guard case .folders(let one) = self, case .folders(let more) = other else { return .everything }
    return .folders(one.union(more))
  }
}
