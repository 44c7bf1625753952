import DocumentStorage
import GRDB
import SystemFiles
import SystemPackage
import Testing

@Suite("A database that cannot be written") struct QuotaTests {
  private let files = InMemoryFileSystem()
  private let directory: FilePath = "/no-such-state"
  private let file: FilePath = "/no-such-state/store.sqlite"

  init() { files.putDirectory(directory) }

  /// What becomes of the error that SQLite has for a disk that fails.
  private var outcome: StorageError? {
    StorageError.from(DatabaseError(resultCode: .SQLITE_IOERR), file: file, files: files)
      as? StorageError
  }

  // No disk that fails: a watch waits for room, and `rebuild` leaves it as it is.
  @Test("is full where its user's quota is", arguments: [FileOperation.create, .write])
  func quota(operation: FileOperation) throws {
    files.fail(operation, with: .diskQuotaExceeded, lasting: true)
    #expect(outcome == .full(file))
    #expect(try files.list(directory).isEmpty)
  }

  // SQLite has one number for all that keeps it from opening a file.
  @Test(
    "lacks nothing but descriptors where too many files are open",
    arguments: [Errno.tooManyOpenFiles, .tooManyOpenFilesInSystem])
  func descriptors(errno: Errno) throws {
    files.fail(.create, with: errno, lasting: true)
    #expect(outcome == .tooManyFiles(file))
    #expect(try files.list(directory).isEmpty)
  }

  @Test(
    "is not what is full where its disk has room, and that of SQLite's temporary files has none")
  func temporaryFiles() {
    func outcome(full: Set<FilePath>) -> StorageError? {
      StorageError.from(
        DatabaseError(resultCode: .SQLITE_FULL), file: file, files: files, temporary: "/no-tmp"
      ) { full.contains($0) } as? StorageError
    }
    #expect(outcome(full: ["/no-tmp"]) == .fullTemporary(directory: "/no-tmp"))
    // A transaction that did not fit leaves room once it has been taken back.
    for full in [[], [directory], [directory, "/no-tmp"]] as [Set<FilePath>] {
      #expect(outcome(full: full) == .full(file))
    }
  }

  // A log has the mode that its database had when it was made.
  @Test(
    "names the file of it that may not be",
    arguments: ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"])
  func permission(name: String) {
    let refused = directory.appending(name)
    let outcome = StorageError.from(
      DatabaseError(resultCode: .SQLITE_READONLY, message: "read-only"), file: file, files: files,
      refusal: { path, _ in path == refused ? .permissionDenied : nil })
    #expect(outcome as? StorageError == .notPermitted(refused, detail: "8: read-only"))
  }

  // Nothing is damaged: `rebuild` leaves it as it is.
  @Test(
    "is too large where this process may write no larger file", arguments: ["", "-wal", "-shm"])
  func fileSizeLimit(suffix: String) {
    let bytes = 1 << 20
    files.put(FilePath(file.string + suffix), [UInt8](repeating: 0, count: bytes))
    func outcome(
      _ code: ResultCode = .SQLITE_IOERR, largest: Int?
    ) -> StorageError? {
      StorageError.from(
        DatabaseError(resultCode: code), file: file, files: files,
        largest: largest.map { UInt64($0) }) as? StorageError
    }
    #expect(outcome(largest: bytes) == .tooLarge(file))
    // The log is cut where its transaction fails.
    #expect(outcome(.SQLITE_IOERR_WRITE, largest: 100 * bytes) == .tooLarge(file))
    for largest in [nil, 2 * bytes] {
      guard case .failed = outcome(largest: largest) else {
        Issue.record("it is \(String(describing: outcome(largest: largest)))")
        continue
      }
    }
  }

  @Test("fails where there is room", arguments: [nil, FileOperation.create, .write])
  func failing(operation: FileOperation?) throws {
    if let operation { files.fail(operation, with: .ioError, lasting: true) }
    guard case .failed = outcome else {
      Issue.record("it is \(String(describing: outcome))")
      return
    }
    #expect(try files.list(directory).isEmpty)
  }
}
