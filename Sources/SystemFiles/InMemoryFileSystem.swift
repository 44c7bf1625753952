import Synchronization
import SystemPackage

/// A file system in memory that behaves like a real one and fails on demand.
///
/// It knows what has been synchronized and what has not, so that it can lose power; and it counts
/// calls, so that a test can fail or kill at each of them in turn. Paths start at its own root,
/// with or without a slash. It never blocks: a lock waited for that is taken is `.deadlock`.
///
///     let files = InMemoryFileSystem()
///     files.put("/c/logs/x/1.log", [1, 2, 3])
///     files.fail(.write, at: 3, with: .ioError)
package final class InMemoryFileSystem: FileSystem {
  /// What the pretended file system can do; everything, unless said otherwise.
  package struct Features: Hashable, Sendable {
    /// Files without a name (`O_TMPFILE`).
    package var namelessFiles = true

    /// `renameat2(RENAME_NOREPLACE)`.
    package var exclusiveRename = true

    /// `link(2)`.
    package var links = true

    /// Whether `fsync(2)` does anything; where not, it reports success all the same.
    package var synchronizes = true

    /// Everything there is.
    package init() {}

    /// A FUSE file system such as rclone's, which can only rename.
    package static var renameOnly: Features {
      var features = Features()
      features.namelessFiles = false
      features.exclusiveRename = false
      features.links = false
      return features
    }
  }

  let state: Mutex<InMemoryState>

  /// Makes an empty file system; without a clock each change is a millisecond after the last.
  ///
  /// `clock` gives nanoseconds since 1970, and must not call back.
  package init(features: Features = Features(), clock: (@Sendable () -> Int64)? = nil) {
    state = Mutex(InMemoryState(features: features, clock: clock))
  }

  private init(_ state: InMemoryState) { self.state = Mutex(state) }

  /// Another file system with the same files, as a restored backup or a cloned machine has.
  ///
  /// No process uses it: there are no locks, no open files and no planned faults.
  package func copy() -> InMemoryFileSystem {
    var state = state.withLock { $0 }
    state.endProcess()
    return InMemoryFileSystem(state)
  }

  /// Runs `body` alone.
  func run<Value: Sendable>(
    _ body: (inout InMemoryState) throws(FileError) -> Value
  ) throws(FileError) -> Value {
    try state.withLock { (state) throws(FileError) in try body(&state) }
  }

  // MARK: Faults

  /// Makes the `call`-th call of an operation from now on fail; with `lasting`, all after it too.
  ///
  /// `contents` counts as one of `.open` and one of `.read`; `place` as `.link` or `.rename`, and
  /// each call it falls back to counts again.
  package func fail(
    _ operation: FileOperation, at call: Int = 1, with errno: Errno, lasting: Bool = false
  ) {
    state.withLock { $0.faults.plan(operation, in: call, errno: errno, lasts: lasting) }
  }

  /// Kills the process at the `call`-th mutating call from now on, before it takes effect.
  ///
  /// A write takes effect by half. That call and every later one throw `Errno.killed`, until
  /// `reboot()`.
  package func kill(at call: Int) { state.withLock { $0.faults.planKill(in: call) } }

  /// Whether the planned kill has happened.
  package var wasKilled: Bool { state.withLock { $0.faults.isDead } }

  /// How many mutating calls there have been.
  package var mutationCount: Int { state.withLock { $0.faults.mutations } }

  /// How many calls of an operation there have been.
  package func callCount(_ operation: FileOperation) -> Int {
    state.withLock { $0.faults.calls[operation, default: 0] }
  }

  /// Starts a new process on the same files: locks, open files and planned faults are gone.
  package func reboot() { state.withLock { $0.endProcess() } }

  /// Limits the bytes of all files together; what exceeds it is `.noSpace` after a short write.
  package func setCapacity(_ bytes: Int?) { state.withLock { $0.faults.capacity = bytes } }

  /// Limits the bytes that can still be written.
  package func setRoom(_ bytes: Int) {
    state.withLock { $0.faults.capacity = $0.usedBytes() + bytes }
  }

  /// Makes all changes fail with `.readOnlyFileSystem`, or no longer.
  package func setReadOnly(_ isReadOnly: Bool) {
    state.withLock { $0.faults.isReadOnly = isReadOnly }
  }
}
