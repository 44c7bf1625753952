/// Why an access did not take place, or was not safe.
///
/// It is data only; who speaks to a user words it.
public enum CoordinationError: Error, Hashable, Sendable {
  /// What makes the directory of locks and sockets one that must not be used.
  public enum Danger: Hashable, Sendable {
    /// It, or what stands in it, belongs to another user.
    case ownedBy(user: UInt32)
    /// Others than its owner may use it, by this mode.
    case openToOthers(mode: UInt32)
    /// Something else stands there.
    case wrongKind
    /// It is on a file system that other machines use too.
    case notLocal
  }

  /// The time was up; these were in the way.
  case timedOut(path: String, waitedFor: [CoordinationHolder])
  /// Each of these waits for the next, and the last for this access.
  case deadlock(path: String, among: [CoordinationHolder])
  /// A presenter could not save or let go.
  case presenterFailed(path: String, process: CoordinatingProcess, message: String)
  /// The coordinator, or the task, was cancelled.
  case cancelled(path: String)
  /// Too many items, or too long a path, or too many claims or presenters of one process.
  case overLimit(path: String)
  /// A purpose without a name, which all would share who have none: they would exclude nobody.
  case emptyPurpose
  /// This process was forked off from one that coordinates, and has not started a program since:
  /// it has no part of its own in coordination.
  case forked
  /// The directory of locks and sockets is not safe.
  case unsafePlace(path: String, Danger)
  /// The process that keeps the queue cannot be reached.
  case noArbiter(path: String, errno: Int32)
  /// The item is not in the folder that it was to be in.
  case leavesFolder(path: String, folder: String)
  /// What stood at the path became a symbolic link, or another file, meanwhile.
  case replaced(path: String)
  /// Contents changed in an access that was for metadata alone.
  case contentsChanged(path: String)
  /// The caller's queue is one on which a presenter is to be asked: it would wait for itself.
  case onPresentersQueue(path: String)
  /// A move was announced outside of an accessor that writes the item.
  case notWriting(path: String)
  /// A system call failed.
  case system(operation: String, path: String, errno: Int32)

  /// The file or folder that it concerns; empty where there is none.
  public var path: String {
    switch self {
    case .emptyPurpose, .forked: ""
    case .timedOut(let path, _), .deadlock(let path, _), .presenterFailed(let path, _, _),
      .cancelled(let path), .overLimit(let path), .unsafePlace(let path, _),
      .noArbiter(let path, _), .leavesFolder(let path, _), .replaced(let path),
      .contentsChanged(let path), .onPresentersQueue(let path), .notWriting(let path),
      .system(_, let path, _):
      path
    }
  }
}

extension CoordinationError {
  /// Whether the time was up while this very process had what was waited for.
  ///
  /// Then it may have waited for itself: what an accessor has another thread claim, and waits for,
  /// is not known to be part of its access, so that this is no ``deadlock(path:among:)``.
  public var isInOwnWay: Bool {
    guard case .timedOut(_, let holders) = self else { return false }
    let own = CoordinatingProcess.current.id
    return holders.contains { holder in
      holder.process.id == own && [.reads, .writes].contains(holder.role)
    }
  }

  init(_ failure: ClaimFailure, path: String) {
    switch failure {
    case .timedOut(let holders): self = .timedOut(path: path, waitedFor: holders)
    case .deadlock(let holders): self = .deadlock(path: path, among: holders)
    case .presenterFailed(let process, let message):
      self = .presenterFailed(path: path, process: process, message: message)
    case .cancelled: self = .cancelled(path: path)
    case .overLimit: self = .overLimit(path: path)
    }
  }
}
