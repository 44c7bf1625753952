import Foundation

/// Which files a ``MetadataQuery`` shows: a value, made of what is known of a file.
///
///     let recent = MetadataPredicate.all(of: [.name("*.txt"), .modifiedAfter(yesterday)])
public indirect enum MetadataPredicate: Hashable, Sendable {
  /// Every file.
  case everything
  /// Those whose name is as a pattern says: `*`, `?`, `[a-z]`, `[!a-z]`; with a `/` or `**` in it,
  /// those whose path from the folder is.
  case name(String)
  /// Those in a folder, at any depth, by its path from the folder of documents.
  case inFolder(String)
  /// Those of which so much is here.
  case status(MetadataItem.DownloadingStatus)
  /// Those that are documents, or conflict copies.
  case kind(MetadataItem.Kind)
  /// Those with versions that wait for somebody to choose.
  case hasUnresolvedConflicts
  /// Those that a syncer has begun to receive.
  case isDownloading
  /// Those of which nothing more can be known, and why is told.
  case hasError
  /// Those with more bytes than this; not those that are not here.
  case largerThan(Int64)
  /// Those with fewer bytes than this; not those that are not here.
  case smallerThan(Int64)
  /// Those changed after a time; not those that are not here.
  case modifiedAfter(Date)
  /// Those changed before a time; not those that are not here.
  case modifiedBefore(Date)
  /// Those for which all of these hold.
  case all(of: [MetadataPredicate])
  /// Those for which one of these holds.
  case any(of: [MetadataPredicate])
  /// Those for which this does not hold.
  case not(MetadataPredicate)
}

/// A predicate that has been made ready to be asked about many files.
struct MetadataTest: Sendable {
  private let test: @Sendable (MetadataItem) -> Bool

  init(_ predicate: MetadataPredicate) { test = Self.test(predicate) }

  func holds(for item: MetadataItem) -> Bool { test(item) }

  private static func test(
    _ predicate: MetadataPredicate
  ) -> @Sendable (MetadataItem) -> Bool {
    switch predicate {
    case .everything: return { _ in true }
    case .name(let text): return name(text)
    case .inFolder(let path): return folder(path)
    case .status(let status): return { $0.downloadingStatus == status }
    case .kind(let kind): return { $0.kind == kind }
    case .hasUnresolvedConflicts: return { $0.hasUnresolvedConflicts }
    case .isDownloading: return { $0.isDownloading }
    case .hasError: return { $0.error != nil }
    case .largerThan(let size): return { item in item.size.map { $0 > size } ?? false }
    case .smallerThan(let size): return { item in item.size.map { $0 < size } ?? false }
    case .modifiedAfter(let time):
      return { item in item.modificationDate.map { $0 > time } ?? false }
    case .modifiedBefore(let time):
      return { item in item.modificationDate.map { $0 < time } ?? false }
    case .all(let parts):
      let tests = parts.map { MetadataTest($0) }
      return { item in tests.allSatisfy { $0.holds(for: item) } }
    case .any(let parts):
      let tests = parts.map { MetadataTest($0) }
      return { item in tests.contains { $0.holds(for: item) } }
    case .not(let part):
      let inner = MetadataTest(part)
      return { !inner.holds(for: $0) }
    }
  }

  private static func name(_ text: String) -> @Sendable (MetadataItem) -> Bool {
    let pattern = NamePattern(text)
    return { item in
      pattern.matches(
        pattern.hasFolders ? item.relativePath : item.path.lastComponent?.string ?? "")
    }
  }

  private static func folder(_ path: String) -> @Sendable (MetadataItem) -> Bool {
    let names = path.split(separator: "/").filter { $0 != "." }.map(String.init)
    let prefix = names.map { $0 + "/" }.joined()
    return { $0.relativePath.utf8.starts(with: prefix.utf8) }
  }
}
