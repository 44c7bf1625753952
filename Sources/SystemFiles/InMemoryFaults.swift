import SystemPackage

/// Which of the fake's calls are to fail, and whether its process is still alive.
struct InMemoryFaults: Sendable {
  private struct Fault {
    var call: Int
    var lasts: Bool
    var errno: Errno
  }

  private var planned: [FileOperation: [Fault]] = [:]
  private(set) var calls: [FileOperation: Int] = [:]

  /// How many mutating calls there have been, the one that died included.
  private(set) var mutations = 0

  /// The mutating call that will not return, counted like `mutations`.
  private var killAt: Int?
  private(set) var isDead = false
  var isReadOnly = false

  /// How many bytes all files together may hold.
  var capacity: Int?

  mutating func plan(_ operation: FileOperation, in call: Int, errno: Errno, lasts: Bool) {
    let fault = Fault(call: calls[operation, default: 0] + call, lasts: lasts, errno: errno)
    planned[operation, default: []].append(fault)
  }

  mutating func planKill(in call: Int) { killAt = mutations + call }

  /// Comes back to life, with nothing planned.
  mutating func clear() {
    planned = [:]
    killAt = nil
    isDead = false
  }

  /// Counts a call, and throws what was planned for it.
  mutating func enter(
    _ operation: FileOperation, _ path: FilePath, mutates: Bool = false
  ) throws(FileError) {
    guard !isDead else { throw FileError(operation, path, .killed) }
    if mutates {
      mutations += 1
      if mutations == killAt {
        isDead = true
        throw FileError(operation, path, .killed)
      }
    }
    let call = calls[operation, default: 0] + 1
    calls[operation] = call
    let fault = planned[operation]?.first { $0.call == call || ($0.lasts && $0.call < call) }
    if let fault { throw FileError(operation, path, fault.errno) }
    let writes = mutates && operation != .synchronize && operation != .synchronizeDirectory
    if isReadOnly, writes { throw FileError(operation, path, .readOnlyFileSystem) }
  }
}

extension Errno {
  /// What every call of the fake throws from the moment its process was killed (`ECANCELED`).
  package static var killed: Errno { .canceled }
}
