import Syncing
import SystemPackage

extension FeedSyncError {
  /// What kept an older database from giving all: nothing of it is lost.
  init(salvage error: SalvageError, operation: String) {
    let reason = FeedSyncError(error.cause, operation: operation)
    self.init(
      reason.code, operation: operation, file: reason.file,
      message: "\(reason.message); what an older database holds, and the folder may not, is kept in"
        + " \(error.directory.string)",
      hint: (reason.hint.map { "\($0); then " } ?? "")
        + "run 'feedsync init' on the folder, which goes on with it; move that directory away only"
        + " to do without what is left in it")
  }

  /// Nothing can be read or written until a recovery has come further.
  init(rebuilding older: FilePath, operation: String) {
    self.init(
      .configuration, operation: operation, file: older.string,
      message: "this device's database is being made anew from this older one and the folder",
      hint: "if no 'rebuild' or 'init' runs, one was interrupted: run 'feedsync init' on the"
        + " folder, which goes on with it")
  }

  /// It cannot be told whether a damaged database is what shall be adopted.
  init(adopting database: FilePath, as aside: FilePath, at folder: FilePath, operation: String) {
    let names = [database, aside].map { ShellWord.quoted($0) }
    self.init(
      .cannotRead, operation: operation, file: database.string,
      message: "this database is damaged, and does not tell whether its container was in this"
        + " folder; nothing was changed",
      hint: "if it was, run 'mv \(names[0]) \(names[1])' and 'feedsync init"
        + " \(ShellWord.quoted(folder))', which publishes there what it still gives")
  }

  /// What a database holds whose place another has taken, and may hold alone.
  package init(older: OlderDatabase) {
    let unreadable = older.record?.unreadable ?? 0
    self.init(
      .cannotRead, operation: "look at older databases", file: older.directory.string,
      message: unreadable > 0
        ? "\(unreadable) parts of this older database of the device could not be read; what was"
          + " written there last may be nowhere else"
        : "this older database of the device has not given all that it holds: 'rebuild' or 'init"
          + " --adopt' was interrupted, or could not read it",
      hint: "run 'feedsync init' on the folder, which tries again and says what it gives; remove"
        + " the directory only if you want nothing of what is left in it")
  }
}
