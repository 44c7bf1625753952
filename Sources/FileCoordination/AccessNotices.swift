import Dispatch

/// What an access tells its coordinator while it waits.
///
/// Never on the thread that brings it: that may be the one on which all other processes are heard,
/// and whoever is told may block, or wait for the very access that it is told of.
struct AccessNotices: Sendable {
  /// How long an access is not over for its caller, at most, because it was not heard yet: a
  /// program may end then, and would have said nothing.
  private static let patience = DispatchTimeInterval.milliseconds(100)

  private let queue: DispatchQueue
  private let untold = DispatchGroup()

  /// - parameter queue: a serial one.
  init(on queue: DispatchQueue) { self.queue = queue }

  /// Tells something, after all that was told before, without waiting for that.
  func tell<Notice: Sendable>(_ notice: Notice, _ listener: (@Sendable (Notice) -> Void)?) {
    guard let listener else { return }
    queue.async(group: untold) { listener(notice) }
  }

  /// Waits until all was heard, or for as long as may be.
  func settle() { _ = untold.wait(timeout: .now() + Self.patience) }
}
