import FeedReading
import Foundation

/// The turn of one process to fetch all feeds, as long as this lives: another one that did so
/// meanwhile would ask each server once more.
///
///     guard let turn = library.fetchTurn() else { return }
///     for feed in feeds { … ; turn.goOn() }
public final class FetchTurn: Sendable {
  /// Who does not go on for so long keeps nobody from fetching, such as a process that was stopped.
  ///
  /// Longer than a feed may take. What two fetch at once is merged twice, and lost by neither.
  static let silentSeconds: Int64 = 1_800

  private let descriptor: Int32
  private let clock: @Sendable () -> FeedInstant

  /// - parameter file: What stands for the turn; made if it is missing, and never removed.
  /// - returns: nil if another has the turn. Where files cannot be locked, nobody is kept from it.
  init?(file: String, clock: @escaping @Sendable () -> FeedInstant) {
    self.clock = clock
    let descriptor = open(file, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    var failure = descriptor < 0 ? errno : EINTR
    while failure == EINTR {
      failure = flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno
    }
    let isTaken = failure == EWOULDBLOCK && !Self.isSilent(descriptor, at: clock())
    if failure != 0, descriptor >= 0 { close(descriptor) }
    self.descriptor = failure == 0 ? descriptor : -1
    guard !isTaken else { return nil }
    goOn()
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Whether whoever has the turn has not gone on for long, or the clock tells nothing.
  private static func isSilent(_ descriptor: Int32, at now: FeedInstant) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return true }
    let last = Int64(status.st_mtim.tv_sec)
    return !(last - silentSeconds...last + silentSeconds).contains(now.secondsSince1970)
  }

  /// Tells others that this process has not been stopped.
  public func goOn() {
    guard descriptor >= 0 else { return }
    let now = timespec(tv_sec: Int(clock().secondsSince1970), tv_nsec: 0)
    // Where it cannot be told, others fetch at the same time.
    futimens(descriptor, [now, now])
  }
}

extension Library {
  /// The turn to fetch all feeds; nil if another process does, or another library of this one.
  public func fetchTurn() -> FetchTurn? {
    FetchTurn(file: cache.directory + "/fetching.lock", clock: clock)
  }
}
