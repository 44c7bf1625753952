import Foundation
import SystemPackage

/// What is known of one file of a folder of documents, as it was when the folder was read.
///
/// The counterpart of `NSMetadataItem` in the ubiquitous scope. Nothing tells whether a syncer has
/// sent a file to other machines.
public struct MetadataItem: Hashable, Sendable {
  /// Whose file it is.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The user's.
    case document
    /// A syncer's: a version that lost a conflict, kept beside its document.
    case conflictCopy
  }

  /// How much of a file is here.
  public enum DownloadingStatus: String, Hashable, Sendable, CaseIterable {
    /// Only what the syncer has received so far, under a temporary name.
    case notDownloaded
    /// The file, and beside it what the syncer has received of a newer one.
    case downloaded
    /// The file, and no sign of a newer one.
    case current
    /// No file, but versions of it: conflict copies, or what is kept on this machine.
    case missing
  }

  /// A file that a syncer has begun to receive, by its temporary file.
  ///
  /// It may have been given up: a syncer keeps such files for some time, to go on with them.
  public struct Arrival: Hashable, Sendable {
    /// How many bytes have come, as far as the disk space that they take tells.
    public let downloadedSize: Int64
    /// How many there will be; nil where the syncer does not reserve them beforehand.
    public let expectedSize: Int64?

    /// From 0 to 100; nil where it is not known how many bytes there will be.
    public var percentDownloaded: Double? {
      expectedSize.map { $0 > 0 ? Double(downloadedSize) / Double($0) * 100 : 100 }
    }
  }

  /// Where it is, or will be.
  public let path: FilePath
  /// Its names from the folder on.
  public let relativePath: String
  /// Whose it is.
  public let kind: Kind
  /// How many bytes it has; nil as long as it is not here.
  public let size: Int64?
  let modified: Int64?
  /// How many versions of conflicts are not resolved.
  public let conflicts: Int
  /// How much of it is here.
  public let downloadingStatus: DownloadingStatus
  /// What has come of it, or of a newer one; nil if nothing is on its way.
  public let arrival: Arrival?
  /// Why nothing more is known of it.
  public let error: DocumentFileError?
  /// How many versions are kept on this machine of a document that is gone; 0 of all others.
  public internal(set) var kept = 0
}

extension MetadataItem {
  /// When it was last changed, by the clock of the machine that changed it; nil as long as it is
  /// not here.
  public var modificationDate: Date? {
    modified.map { Date(timeIntervalSince1970: Double($0) / 1e9) }
  }

  /// Whether other versions wait for somebody to choose.
  public var hasUnresolvedConflicts: Bool { conflicts > 0 }

  /// Whether a syncer has begun to receive it, or a newer one.
  public var isDownloading: Bool { arrival != nil }

  /// Whether it has its own name in the synced folder, so that a syncer may take it.
  ///
  /// Whether one has is not known.
  public var isPublished: Bool { size != nil }
}
