import FolderWatching
import Glibc
import SharedFolder
import SystemFiles
import SystemPackage

/// What documents have from outside: clocks, chance, sleep; a test has its own.
package struct DocumentAmbient: Sendable {
  /// A step of replacing a file, told when it is done.
  package enum Step: Hashable, Sendable {
    /// All bytes are in the temporary file.
    case written
    /// They are on the disk.
    case synchronized
    /// The temporary file is closed.
    case closed
    /// The new file has its name; what had it stands under the temporary one.
    case exchanged
    /// That is what was expected, and is to be removed.
    case replaced
    /// What is to be removed has lost its name.
    case setAside
    /// What no name beside it had room for is copied, and not removed yet.
    case kept
  }

  /// Hints that a folder has changed, as long as it is kept.
  package struct Hints: Sendable {
    package let changes: AsyncStream<Void>
    private let source: (any AnyObject & Sendable)?

    /// Hints from somewhere, which `source` keeps going.
    package init(changes: AsyncStream<Void>, source: (any AnyObject & Sendable)? = nil) {
      self.changes = changes
      self.source = source
    }
  }

  /// Seconds since 1970.
  package var now: @Sendable () -> Int64
  /// A clock that only goes forward.
  package var uptime: @Sendable () -> Duration
  package var sleep: @Sendable (Duration) async throws -> Void
  package var random: @Sendable () -> UInt64
  /// What other machines call this one.
  package var machine: String
  /// Tells that something in a folder may have changed.
  package var watch: @Sendable (FilePath) -> Hints = { directory in
    let signal = DirectorySignal(directory)
    return Hints(changes: signal.changes, source: signal)
  }
  /// Tells which of many folders in a folder may have changed, and calls when there is something.
  package var watchTree:
    @Sendable (FilePath, _ wake: @escaping @Sendable () -> Void) -> any FolderHints = {
      TreeSignal($0, wake: $1)
    }
  /// Reads one folder below a root: at most some names of it.
  package var look: FolderContents.Look = FolderContents.system
  /// The largest document that is opened, and so that is saved, in bytes.
  package var maximumBytes = 256 << 20
  /// Looks what has a name in a folder; nil if nothing has.
  package var status:
    @Sendable (OpenDirectory, FilePath.Component) throws(FileError) -> FileStatus? = {
      (directory, name) throws(FileError) in try directory.statusIfPresent(of: name)
    }
  /// Refuses a name in a folder that this user may not write.
  package var checkWritable: @Sendable (OpenDirectory, FilePath.Component) throws -> Void = {
    try $0.checkWritable($1)
  }
  /// Is told of each step, and may fail there as a disk may.
  package var onStep: @Sendable (Step) throws -> Void = { _ in }

  /// Puts surroundings together, as a test does.
  package init(
    now: @escaping @Sendable () -> Int64, uptime: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void,
    random: @escaping @Sendable () -> UInt64, machine: String
  ) {
    self.now = now
    self.uptime = uptime
    self.sleep = sleep
    self.random = random
    self.machine = machine
  }

  /// This machine's.
  package static let system = DocumentAmbient(
    now: { Int64(time(nil)) },
    uptime: {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    },
    sleep: { try await Task.sleep(for: $0) },
    random: { UInt64.random(in: .min ... .max) },
    machine: hostName)

  private static var hostName: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "unknown" }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The name of a temporary file, which syncers are told to ignore.
  func temporaryName() throws(DocumentFileError) -> FilePath.Component {
    let name = ".feedsync-\(hexadecimal(random())).nosync"
    guard let component = FilePath.Component(name) else { throw .notADocument(path: name) }
    return component
  }

  func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  /// Now, as syncers write it into names, by this machine's calendar, then the other seconds of the
  /// minute, for where a name is taken; empty where the calendar fails.
  func moments() -> [ConflictCopy.Moment] {
    var (seconds, parts) = (time_t(now()), tm())
    guard localtime_r(&seconds, &parts) != nil else { return [] }
    return (0..<60).compactMap { later in
      ConflictCopy.Moment(
        year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday),
        hour: Int(parts.tm_hour), minute: Int(parts.tm_min),
        second: (Int(parts.tm_sec) + later) % 60)
    }
  }
}
