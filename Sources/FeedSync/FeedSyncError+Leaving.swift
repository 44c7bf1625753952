import Syncing
import SystemPackage

extension FeedSyncError {
  init(leaving error: LeaveError, operation: String) {
    switch error {
    case .unpublished(let path, let count, let cause):
      let reason = FeedSyncError(cause, operation: operation)
      self.init(
        reason.code, operation: operation, file: reason.file ?? path.string,
        message: "\(reason.message); of this device"
          + " \(CountText.of(count, "transaction is", "transactions are")) not published, which"
          + " nobody else would have",
        hint: "\(reason.hint.map { $0 + "; " } ?? "")or leave with --force, which keeps them in the"
          + " local database")
    case .writtenMeanwhile(let path):
      self.init(
        .tryAgain, operation: operation, file: path.string,
        message: "another process has written meanwhile; nothing was changed", hint: "try again")
    case .removalsWait(let path, let count):
      self.init(
        .tryAgain, operation: operation, file: path.string,
        message: CountText.of(
          count, "removal made here cannot be published yet: what it was made on has",
          "removals made here cannot be published yet: what they were made on has")
          + " not all arrived",
        hint: "let the syncer finish, run 'feedsync import', and try again; or leave with --force,"
          + " which keeps them in the local database")
    case .recoveryUnfinished(let path, let older):
      self.init(
        .tryAgain, operation: operation, file: older.string,
        message: "this database, in whose place the present one stands, has not given all that it"
          + " holds; nothing was changed",
        hint: "'feedsync init \(ShellWord.quoted(path))' goes on with it, and 'feedsync doctor'"
          + " tells what it lacks; remove the directory if it is of no use any more, or leave with"
          + " --force")
    case .folderIncomplete(let path, let devices):
      self.init(
        .tryAgain, operation: operation, file: path.string,
        message: "the folder does not hold all that the local database does (of"
          + " \(devices.joined(separator: ", "))), so this is kept; nothing was changed",
        hint: "let the syncer finish and try again, or leave without --delete-state")
    case .dropsNotHeeded(let path, let devices):
      self.init(
        .tryAgain, operation: operation, file: path.string,
        message: "others have forgotten something (of \(devices.joined(separator: ", "))) that is"
          + " still here, and that an edit of this device may stand on, or a file is there that"
          + " cannot be read yet and may say so; so the local database is kept",
        hint: "let the syncer finish, or upgrade feedsync where a file is of a newer version, and"
          + " try again, where the device has left already after"
          + " 'feedsync init \(ShellWord.quoted(path))'; or leave without --delete-state")
    }
  }
}
