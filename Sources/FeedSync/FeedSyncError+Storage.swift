import DocumentStorage

extension FeedSyncError {
  /// SQLite's own limit is 512 bytes, with the name of a journal.
  private static let longestPath = 512 - "-journal".utf8.count

  init(storage error: StorageError, operation: String) {
    switch error {
    case .busy, .noMemory, .tooManyFiles, .full, .fullTemporary, .tooLarge:
      self.init(shortage: error, operation: operation)
    case .readOnly(let file):
      self.init(
        .cannotWrite, operation: operation, file: file.string,
        message: "the local database is on a file system that is mounted read-only",
        hint: "mount it for writing, or copy the state and name the copy with --state DIR;"
          + " SQLite has to write even to read")
    case .notPermitted(let file, let detail):
      self.init(
        .notPermitted, operation: operation, file: file.string,
        message: "the local database cannot be opened for writing (SQLite \(detail))",
        hint: FileOwnership.blocking(.writing, file.removingLastComponent())?.stateHint
          ?? FileOwnership.blocking(.writing, file)?.stateHint
          ?? "check the owner and permissions of the file and its directory")
    case .cannotOpen(let file, let detail):
      self.init(
        .cannotWrite, operation: operation, file: file.string,
        message: "the local database cannot be opened (SQLite \(detail))",
        hint: file.string.utf8.count > Self.longestPath
          ? "the path is longer than SQLite takes: choose a shorter --state DIR"
          : "make room on the disk (bytes and files), and check that it is not damaged")
    case .newerSchema(let file, let found, let known):
      self.init(
        .configuration, operation: operation, file: file.string,
        message: "the database has version \(found), and this feedsync knows version \(known)",
        hint: "update feedsync, or use the newer one that is installed")
    case .newerProgram(let file):
      self.init(
        .configuration, operation: operation, file: file.string,
        message: "a newer feedsync has written the database, which knows kinds of changes that this"
          + " one does not",
        hint: "update feedsync, or use the newer one that is installed")
    case .damaged(let file, let detail):
      self.init(
        .cannotRead, operation: operation, file: file.string,
        message: "the local database is damaged (SQLite \(detail)); nothing was changed",
        hint: "run 'feedsync rebuild --container DIR', which puts it aside and reads the folder"
          + " anew as another device: only what was not published, and the database does not give"
          + " any more, is then missing")
    case .failed(let file, let detail):
      self.init(
        .cannotRead, operation: operation, file: file.string,
        message: "the local database failed (SQLite \(detail))",
        hint: "check the disk; the shared folder still holds what was published")
    case .noDevice, .left, .replaced, .clockExhausted, .transactionTooLarge, .contextTooLarge,
      .unknownVersion, .newerOperations, .otherKind:
      self.init(refusal: error, operation: operation)
    case .mixedVersions, .nested, .crossed:
      self.init(misuse: error, operation: operation)
    }
  }

  /// What may have passed when it is tried again.
  private init(shortage error: StorageError, operation: String) {
    switch error {
    case .busy(let file):
      self.init(
        .tryAgain, operation: operation, file: file.string,
        message: "another process has held the database for too long",
        hint: "try again, or end the process that holds it")
    case .noMemory(let file):
      self.init(
        .tryAgain, operation: operation, file: file.string,
        message: "there is too little memory to use the local database",
        hint: "end other programs, then try again")
    case .tooManyFiles(let file):
      self.init(
        .tryAgain, operation: operation, file: file.string,
        message: "too many files are open to open the local database as well",
        hint: Self.hintAgainstOpenFiles)
    case .full(let file):
      self.init(
        .cannotWrite, operation: operation, file: file.string,
        message: "the disk of the local database is full",
        hint: "make room, then try again; \(Self.wholeTransactions)")
    case .fullTemporary(let directory):
      self.init(
        .cannotWrite, operation: operation, file: directory.string,
        message: "the disk of temporary files is full, in which much is sorted",
        hint: "make room there, or name another directory in SQLITE_TMPDIR")
    case .tooLarge(let file):
      self.init(
        .cannotWrite, operation: operation, file: file.string,
        message: "the local database would be larger than this process may write a file",
        hint: "\(Self.hintAgainstSizeLimit); \(Self.wholeTransactions)")
    default:
      self.init(.software, operation: operation, message: "unexpected shortage: \(error)")
    }
  }

  /// Of a command that has written several before, not all is lost that is not there.
  private static let wholeTransactions = "a transaction that failed has written nothing"

  /// What helps where a container takes no more writes.
  private static let hintForNewContainer =
    "take what is here along into a new container: 'feedsync dump', 'feedsync init' on another"
    + " folder, and 'feedsync load'"

  /// What the database is right to refuse: nothing is wrong with it.
  private init(refusal error: StorageError, operation: String) {
    switch error {
    case .noDevice:
      self.init(
        .configuration, operation: operation, message: "the database belongs to no container",
        hint: "run 'feedsync init DIR' on the synced folder")
    case .left:
      self.init(
        .configuration, operation: operation, message: "this device has left the container",
        hint: "run 'feedsync init DIR' on the synced folder to come back as the same device")
    case .replaced(let file):
      self.init(
        .tryAgain, operation: operation, file: file.string,
        message: "the database was removed, or another put in its place; nothing was written",
        hint: "start it again; a program opens the container and its store again")
    case .clockExhausted:
      self.init(
        .badInput, operation: operation,
        message: "a device whose clock stood at the end of the year 9999 has written here, and no"
          + " later time is left for a write; nothing was written",
        hint: Self.hintForNewContainer)
    case .transactionTooLarge(let bytes):
      self.init(
        .badInput, operation: operation,
        message: "one transaction of more than \(bytes >> 20) MiB is too large",
        hint: "write fewer documents at once (load --transaction-size)")
    case .contextTooLarge(let entries):
      self.init(
        .configuration, operation: operation,
        message: "\(entries) devices, former and present, have written into this container, more"
          + " than a write can name; nothing was written",
        hint: Self.hintForNewContainer)
    case .unknownVersion:
      self.init(
        .tryAgain, operation: operation,
        message: "the version token names changes that have not arrived on this device",
        hint: "import first, or read the document here and use its token")
    case .newerOperations(let key, let path):
      self.init(
        .configuration, operation: operation,
        message: "a newer feedsync has changed \(path.isRoot ? "the whole" : path.pointer) of"
          + " '\(key.id)' in '\(key.collection)' in a way that this one does not understand",
        hint: "update feedsync on this machine; until then other members, and other documents, can"
          + " be changed, and the document can be deleted")
    case .otherKind(let path, let found):
      self.init(
        .badInput, operation: operation,
        message: "\(found) stands at \(path.isRoot ? "the root" : path.pointer), which this would"
          + " take away",
        hint: "a counter starts from an integer, a set from an array, either from nothing; write"
          + " another value with 'patch' first")
    default:
      self.init(.software, operation: operation, message: "unexpected refusal: \(error)")
    }
  }

  /// What no transaction can be: to write it otherwise is for the program.
  private init(misuse error: StorageError, operation: String) {
    switch error {
    case .mixedVersions:
      self.init(
        .usage, operation: operation,
        message: "writes with different base versions cannot be one transaction",
        hint: "write them one after another")
    case .nested:
      self.init(
        .usage, operation: operation, message: "a transaction runs inside another",
        hint: "use the reader or writer that the outer one gives")
    case .crossed:
      self.init(
        .tryAgain, operation: operation,
        message: "another thread is in a transaction of this store, and waits inside it for one"
          + " that this thread is in",
        hint: "use several stores inside one another in the same order everywhere")
    default:
      self.init(.software, operation: operation, message: "unexpected misuse: \(error)")
    }
  }
}
