import SystemFiles
import SystemPackage

/// What somebody wants to do with a file or folder: part of one coordinated access.
///
///     try await coordinator.coordinate(
///       [.reading("/home/ann/Sync/a"), .writing("/home/ann/Sync/b", .forReplacing)]
///     ) { paths in … }
///
/// The counterpart of `NSFileAccessIntent`.
public struct FileAccessIntent: Hashable, Sendable {
  /// How an item is read.
  public struct ReadingOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// Options of these bits.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Presenters need not save before the access.
    public static let withoutChanges = ReadingOptions(rawValue: 1 << 0)
    /// The accessor gets the path of what a symbolic link names, and that is what is claimed.
    public static let resolvesSymbolicLink = ReadingOptions(rawValue: 1 << 1)
    /// Only names, sizes and the like are read: contents that have not arrived are not waited for.
    ///
    /// No read waits for contents here, since a syncer moves whole files into place.
    public static let immediatelyAvailableMetadataOnly = ReadingOptions(rawValue: 1 << 2)
    /// The accessor gets a snapshot, a zip archive of a folder, and others may go on meanwhile.
    public static let forUploading = ReadingOptions(rawValue: 1 << 3)
  }

  /// What a writer does; one thing at a time.
  public enum Writing: Hashable, Sendable, CaseIterable {
    /// Changes contents.
    case plain
    /// Deletes the item; presenters let go of it and, of a folder, of all in it.
    case forDeleting
    /// Renames the item; accesses to what is in a folder wait.
    case forMoving
    /// Changes contents according to what they are; presenters save first.
    case forMerging
    /// Replaces what has the name; whoever renames it meanwhile renames another item.
    case forReplacing
    /// Changes attributes alone, and leaves the contents as they are.
    case contentIndependentMetadataOnly
  }

  enum Kind: Hashable, Sendable {
    case read(ReadingOptions)
    case write(Writing)
  }

  /// The item, as it was named; the accessor gets the path that it has by then.
  public let path: FilePath
  let kind: Kind

  /// An intent to read.
  public static func reading(
    _ path: FilePath, _ options: ReadingOptions = []
  ) -> FileAccessIntent {
    FileAccessIntent(path: path, kind: .read(options))
  }

  /// An intent to write.
  public static func writing(_ path: FilePath, _ writing: Writing = .plain) -> FileAccessIntent {
    FileAccessIntent(path: path, kind: .write(writing))
  }

  var resolvesLink: Bool {
    if case .read(let options) = kind { options.contains(.resolvesSymbolicLink) } else { false }
  }

  var wantsSnapshot: Bool {
    if case .read(let options) = kind { options.contains(.forUploading) } else { false }
  }

  var writes: Bool {
    if case .write = kind { true } else { false }
  }

  /// What the arbiter has to know of it.
  package var options: ClaimedItem.Options {
    switch kind {
    case .read(let options): options.contains(.withoutChanges) ? [.withoutChanges] : []
    case .write(.plain), .write(.contentIndependentMetadataOnly): [.writes]
    case .write(.forDeleting): [.writes, .deletes]
    case .write(.forMoving): [.writes, .moves]
    case .write(.forMerging): [.writes, .merges]
    case .write(.forReplacing): [.writes, .replaces]
    }
  }
}
