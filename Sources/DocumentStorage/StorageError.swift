import Foundation
import GRDB
import Replication
import SystemFiles
import SystemPackage

/// Why the local database did not do what was asked.
///
///     do { try store.write { … } } catch StorageError.busy { … }
package enum StorageError: Error, Equatable, Sendable {
  /// Another process held the database for longer than the time limit.
  case busy(FilePath)
  /// The disk that holds the database is full.
  case full(FilePath)
  /// The disk is full of the directory in which SQLite sorts what is too much for its memory.
  case fullTemporary(directory: FilePath)
  /// A file of the database would be larger than this process may write one.
  case tooLarge(FilePath)
  /// The database, or its directory, may not be written or read.
  case notPermitted(FilePath, detail: String)
  /// The database is on a file system that is mounted for reading only; SQLite needs to write even
  /// to read, for what other processes have written must not be missed.
  case readOnly(FilePath)
  /// The database or a file beside it cannot be opened, though the directory may be written.
  case cannotOpen(FilePath, detail: String)
  /// A newer feedsync has upgraded the database.
  case newerSchema(FilePath, found: Int, known: Int)
  /// A newer feedsync has written it, which knows more kinds of operations.
  case newerProgram(FilePath)
  /// Its file was removed, or another put in its place, since this process opened it.
  case replaced(FilePath)
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
  /// More streams have been seen than a transaction can name.
  case contextTooLarge(entries: Int)
  /// Writes of one transaction were compared with different versions.
  case mixedVersions
  /// A transaction was begun inside another.
  case nested
  /// A transaction was begun inside one of another database, and whoever has this one waits for
  /// that.
  case crossed
  /// There is too little memory now, which says nothing about the database.
  case noMemory(FilePath)
  /// The process or the system has too many files open, which says nothing about the database.
  case tooManyFiles(FilePath)
  /// A newer version's operations stand at, above or below what was to be written.
  case newerOperations(DocumentKey, Path)
  /// Something else stands where a counter or a set is to be edited.
  case otherKind(Path, found: String)
  /// The version token names what has not arrived here.
  case unknownVersion

  /// Sorts an error of SQLite's into what a caller can act on.
  ///
  /// - parameters:
  ///   - files: where it is tried whether there is room, if SQLite does not tell.
  ///   - temporary: where SQLite has its temporary files.
  ///   - isFull: whether a directory's disk is full, as the system says.
  ///   - largest: how large this process may write a file; nil if there is no limit.
  ///   - refusal: why a path may not be accessed in a way of `access(2)`'s; nil if it may.
  package static func from(
    _ error: any Error, file: FilePath, files: any FileSystem = LinuxFileSystem(),
    temporary: FilePath? = Self.temporaryDirectory, isFull: (FilePath) -> Bool = Self.isFull,
    largest: UInt64? = FileSizeLimit.bytes,
    refusal: (FilePath, Int32) -> Errno? = Self.refusal
  ) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    let detail = "\(error.resultCode.rawValue): \(error.message ?? "no message")"
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED: return StorageError.busy(file)
    case .SQLITE_FULL:
      let isHere = isFull(file.removingLastComponent())
      if let temporary, !isHere, isFull(temporary) {
        return StorageError.fullTemporary(directory: temporary)
      }
      return StorageError.full(file)
    case .SQLITE_NOMEM: return StorageError.noMemory(file)
    case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_IOERR:
      let isWrite = error.extendedResultCode == .SQLITE_IOERR_WRITE
      if let largest, comesNear(largest, file, files, afterWrite: isWrite) {
        return StorageError.tooLarge(file)
      }
      return cause(of: error.resultCode, file: file, detail: detail, files, refusal)
    // Nothing too big is ever stored: a length that says so has rotted.
    case .SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_TOOBIG:
      return StorageError.damaged(file, detail: detail)
    // Only this package's own statements come here: a table is gone that the version says is there.
    case .SQLITE_ERROR where error.message?.hasPrefix("no such ") ?? false:
      return StorageError.damaged(file, detail: detail)
    default: return StorageError.failed(file, detail: detail)
    }
  }

  /// Asks the system what SQLite, which has one number for many causes, does not tell.
  private static func cause(
    of code: ResultCode, file: FilePath, detail: String, _ files: any FileSystem,
    _ refusal: (FilePath, Int32) -> Errno?
  ) -> StorageError {
    let directory = file.removingLastComponent()
    // Of a log that was made while the database could only be read, the mode stays as it is.
    for (path, mode) in [(directory, W_OK | X_OK)] + all(of: file).map({ ($0, R_OK | W_OK) }) {
      switch refusal(path, mode) {
      case .readOnlyFileSystem?: return .readOnly(file)
      case .permissionDenied?, .notPermitted?:
        return .notPermitted(path == directory ? file : path, detail: detail)
      default: break
      }
    }
    // Without room for one more page, the index of the log cannot be made, and not even read.
    if isFull(directory) || takesNoMore(directory, files) { return .full(file) }
    if lacksDescriptors(directory, files) { return .tooManyFiles(file) }
    switch code {
    case .SQLITE_CANTOPEN, .SQLITE_READONLY: return .cannotOpen(file, detail: detail)
    case .SQLITE_PERM, .SQLITE_AUTH: return .notPermitted(file, detail: detail)
    default: return .failed(file, detail: detail)
    }
  }

  /// Whether a file system has less room left than one more small file needs.
  package static func isFull(_ directory: FilePath) -> Bool {
    var status = statvfs()
    guard statvfs(directory.string, &status) == 0, status.f_blocks > 0 else { return false }
    let bytes = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    return bytes < smallFile || (status.f_files > 0 && status.f_favail == 0)
  }

  /// Whether a directory takes no small file for lack of room: what `statvfs(3)` tells of the file
  /// system says nothing of a user's quota, and SQLite takes EDQUOT for a disk that fails.
  private static func takesNoMore(_ directory: FilePath, _ files: any FileSystem) -> Bool {
    // A database in memory has none.
    guard !directory.isEmpty else { return false }
    do throws(FileError) {
      let file = try files.createTemporary(
        in: directory, fallbackName: ".feedsync-room.nosync", mode: 0o600)
      defer { files.discard(file) }
      try files.write([UInt8](repeating: 1, count: smallFile), to: file)
      return false
    } catch {
      return error.errno == .diskQuotaExceeded || error.errno == .noSpace
    }
  }

  /// Whether fewer files can be opened at once than two connections take: where SQLite was refused
  /// one, it has closed those that it had.
  private static func lacksDescriptors(_ directory: FilePath, _ files: any FileSystem) -> Bool {
    guard !directory.isEmpty else { return false }
    var held: [TemporaryFile] = []
    defer { for file in held { files.discard(file) } }
    do throws(FileError) {
      for name in trialNames {
        held.append(try files.createTemporary(in: directory, fallbackName: name, mode: 0o600))
      }
      return false
    } catch {
      return error.errno == .tooManyOpenFiles || error.errno == .tooManyOpenFilesInSystem
    }
  }

  /// Whether a file of the database cannot grow by what SQLite writes at once: it says of EFBIG,
  /// too, that the disk fails.
  ///
  /// - parameter isWrite: whether it was a write that failed: the log may have been cut since.
  private static func comesNear(
    _ largest: UInt64, _ file: FilePath, _ files: any FileSystem, afterWrite isWrite: Bool
  ) -> Bool {
    let growth = UInt64(isWrite ? mostOfLog : smallFile)
    return all(of: file).contains { path in
      let size = (try? files.status(of: path))?.size ?? 0
      return UInt64(size) + growth > largest
    }
  }

  /// More than the log of a transaction has.
  private static let mostOfLog = 256 << 20

  /// The database, its log, and the log's index.
  private static func all(of file: FilePath) -> [FilePath] {
    ["", "-wal", "-shm"].map { FilePath(file.string + $0) }
  }

  /// Asks the system.
  package static func refusal(_ path: FilePath, _ mode: Int32) -> Errno? {
    access(path.string, mode) == 0 ? nil : Errno(rawValue: errno)
  }

  private static let smallFile = 64 << 10
  /// For the database and its log, twice; for the log's index, a directory, and some more.
  private static let trialNames: [FilePath.Component] = [
    ".feedsync-room-1.nosync", ".feedsync-room-2.nosync", ".feedsync-room-3.nosync",
    ".feedsync-room-4.nosync", ".feedsync-room-5.nosync", ".feedsync-room-6.nosync",
    ".feedsync-room-7.nosync", ".feedsync-room-8.nosync",
  ]
}

extension StorageError {
  /// Where SQLite has its temporary files: the first directory that may be written, of those that
  /// it tries; nil if none may.
  package static var temporaryDirectory: FilePath? {
    let named = ["SQLITE_TMPDIR", "TMPDIR"].compactMap { (name: String) in
      getenv(name).map { FilePath(platformString: $0) }
    }
    let usual: [FilePath] = ["/var/tmp", "/usr/tmp", "/tmp", "."]
    return (named + usual).first { access($0.string, W_OK | X_OK) == 0 }
  }
}
