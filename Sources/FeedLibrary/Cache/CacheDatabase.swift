import Foundation
import GRDB

/// The cache in its SQLite file: what has been fetched, and what the synced marks make of it.
///
/// Everything in it can be made again, so a commit need not survive a loss of power; it does
/// survive the end of the process.
final class CacheDatabase: Sendable {
  /// Where it is.
  let directory: String
  let file: String
  private let queue: DatabaseQueue

  /// How long a command waits for another process.
  static let busySeconds = 30.0

  /// Opens the cache in a directory, making both if they are missing, for their owner alone.
  init(directory: String, busySeconds: Double = CacheDatabase.busySeconds) throws {
    self.directory = directory
    file = directory + "/cache.sqlite"
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      // SQLite would let all read it; the files beside it take over its mode. One that exists is
      // not opened: closing it would drop this process's locks on it.
      let descriptor = open(file, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
      if descriptor >= 0 { close(descriptor) }
      queue = try DatabaseQueue(path: file, configuration: Self.configuration(busySeconds))
      // Read first: a cache that is in use is not kept waiting for what has been done long ago.
      if try queue.read(CacheSchema.version(of:)) != CacheSchema.version {
        try queue.write { try CacheSchema.prepare($0) }
      }
    } catch {
      throw Self.described(error, operation: "open the cache", file: file)
    }
  }

  private static func configuration(_ busySeconds: Double) -> Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(busySeconds)
    configuration.journalMode = .wal
    return configuration
  }

  func read<Value>(_ operation: String, _ body: (Database) throws -> Value) throws -> Value {
    do {
      return try queue.read(body)
    } catch {
      throw Self.described(error, operation: operation, file: file)
    }
  }

  /// Runs `body` in a transaction that no other process writes beside.
  func write<Value>(_ operation: String, _ body: (Database) throws -> Value) throws -> Value {
    do {
      return try queue.write(body)
    } catch {
      throw Self.described(error, operation: operation, file: file)
    }
  }

  private static func described(
    _ error: any Error, operation: String, file: String
  ) -> any Error {
    switch error {
    case let error as DatabaseError:
      LibraryError(cause(of: error), operation: operation, subject: file)
    // Its directory cannot be made.
    case let error as CocoaError:
      LibraryError(
        .unreachableCache(error.localizedDescription), operation: operation, subject: file)
    // Its rows, not a document.
    case is DecodingError:
      LibraryError(.cache("\(error)"), operation: operation, subject: file)
    default: LibraryError.from(error, operation: operation, subject: file)
    }
  }

  /// Only a cache that is damaged is to be made anew.
  private static func cause(of error: DatabaseError) -> LibraryError.Cause {
    let reason = error.message ?? "SQLite's error \(error.extendedResultCode.rawValue)"
    return switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED: .busyCache
    case .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM,
      .SQLITE_AUTH, .SQLITE_NOMEM:
      .unreachableCache(reason)
    default: .cache(reason)
    }
  }
}
