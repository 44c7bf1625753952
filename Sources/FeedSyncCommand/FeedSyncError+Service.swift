import BackgroundService
import FeedSync

extension FeedSyncError {
  /// Words what keeps a service from being set up.
  init(service error: ServiceError, operation: String) {
    switch error {
    case .unwritable(let path):
      self.init(
        .badInput, operation: operation, file: path.string,
        message: "a path with control characters, or that is not UTF-8, cannot be written into"
          + " a unit or a crontab",
        hint: "rename the folder")
    case .notOurs(let file):
      self.init(
        .configuration, operation: operation, file: file.string,
        message: "this unit was not written by feedsync, and stays as it is",
        hint: "rename it or remove it")
    case .refused(let command, let detail):
      self.init(
        .configuration, operation: operation, message: "'\(command)' failed: \(detail)",
        hint: "see 'feedsync service status' and 'journalctl --user'")
    }
  }

  /// Runs `body`, and words a failure of the service's.
  static func wording<Result>(
    _ operation: String, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as ServiceError {
      throw FeedSyncError(service: error, operation: operation)
    }
  }
}
