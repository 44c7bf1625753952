import Foundation
import GRDB
import SystemPackage

/// Why the local database did not do what was asked.
///
///     do { try store.write { … } } catch StorageError.busy { … }
package enum StorageError: Error, Equatable, Sendable {
  /// Another process held the database for longer than the time limit.
  case busy(FilePath)
  /// The disk that holds the database is full.
  case full(FilePath)
  /// The database, or its directory, may not be written or read.
  case notPermitted(FilePath, detail: String)
  /// The database or a file beside it cannot be opened, though the directory may be written.
  case cannotOpen(FilePath, detail: String)
  /// A newer feedsync has upgraded the database.
  case newerSchema(FilePath, found: Int, known: Int)
  /// The file is no database, or a damaged one.
  case damaged(FilePath, detail: String)
  /// The disk failed.
  case failed(FilePath, detail: String)
  /// The database belongs to no device yet.
  case noDevice
  /// The device has left its container: its database is kept, and takes no more writes.
  case left
  /// No further stamp fits into the year 9999.
  case clockExhausted
  /// One transaction would be larger than a segment can be.
  case transactionTooLarge(bytes: Int)
  /// Writes of one transaction were compared with different versions.
  case mixedVersions
  /// The version token names what has not arrived here.
  case unknownVersion

  /// Sorts an error of SQLite's into what a caller can act on.
  static func from(_ error: any Error, file: FilePath) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    let detail = "\(error.resultCode.rawValue): \(error.message ?? "no message")"
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED: return StorageError.busy(file)
    case .SQLITE_FULL: return StorageError.full(file)
    case .SQLITE_CANTOPEN where access(file.removingLastComponent().string, W_OK | X_OK) == 0,
      .SQLITE_READONLY where access(file.string, W_OK) == 0:
      // SQLite says the same for a disk without room for one more file, or falls back to reading.
      return StorageError.cannotOpen(file, detail: detail)
    case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN, .SQLITE_AUTH:
      return StorageError.notPermitted(file, detail: detail)
    case .SQLITE_NOTADB, .SQLITE_CORRUPT: return StorageError.damaged(file, detail: detail)
    default: return StorageError.failed(file, detail: detail)
    }
  }
}
