import Glibc
import Synchronization
import SystemPackage

/// Whether a folder's file system answers.
package enum FolderAnswer: Hashable, Sendable {
  /// It does, or it is of a kind that always does.
  case answers
  /// It did not within the time; `resolved` is the path without links, as far as that is known.
  case silent(resolved: FilePath)
}

/// Finds out whether a network file system answers, without being caught by it.
///
/// A call to a file system whose server is gone blocks in the kernel, and may be impossible to end
/// even by SIGKILL. So another process makes the first call, and is left behind if it does not come
/// back. Folders that the mount table names as local are not asked.
package final class FolderProbe: Sendable {
  private let seconds: Double
  /// What is known of each folder, so that one is not asked twice by one command.
  private let memory = Mutex<[FilePath: Memory]>([:])
  private static let remembering: Duration = .seconds(1)

  private struct Memory {
    var answer = FolderAnswer.answers
    var until: ContinuousClock.Instant?
    /// The process that has not come back; as long as it has not, no other is sent.
    var messenger: pid_t?
  }

  /// - parameter seconds: how long to wait for an answer.
  package init(seconds: Double) { self.seconds = seconds }

  /// Asks by reading `file` in `folder`; that there is none is an answer too.
  ///
  /// Waits no longer if the surrounding task is cancelled.
  package func ask(_ folder: FilePath, file: FilePath.Component) -> FolderAnswer {
    memory.withLock { memory in
      var known = memory[folder] ?? Memory()
      if let until = known.until, ContinuousClock.now < until { return known.answer }
      known.answer = ask(folder, file, &known.messenger)
      known.until = ContinuousClock.now + Self.remembering
      memory[folder] = known
      // The next question will be for where the links lead.
      if case .silent(let resolved) = known.answer { memory[resolved] = known }
      return known.answer
    }
  }

  private func ask(
    _ folder: FilePath, _ file: FilePath.Component, _ messenger: inout pid_t?
  ) -> FolderAnswer {
    guard let table = MountTable.current(), let place = Self.remotePlace(of: folder, table)
    else { return .answers }
    guard let child = messenger ?? Self.spawn(["/bin/cat", "--", place.appending(file).string])
    else { return .answers }
    messenger = hasEnded(child) ? nil : child
    return messenger == nil ? .answers : .silent(resolved: place)
  }

  /// Follows links without going beyond the point where something remote is mounted.
  ///
  /// - returns: where the rest of the path is a remote file system's to resolve; nil if all is
  ///   local.
  private static func remotePlace(of path: FilePath, _ table: MountTable) -> FilePath? {
    var place: FilePath = "/"
    var rest = Array(path.lexicallyNormalized().components.reversed())
    var hops = 0
    while let name = rest.popLast() {
      if name.kind == .parentDirectory {
        place.removeLastComponent()
        continue
      }
      guard name.kind == .regular else { continue }
      let next = place.appending(name)
      if FileSystemKind.mayHang(mountName: table.name(for: next.bytes)) {
        return rest.reversed().reduce(into: next) { $0.append($1) }
      }
      guard let target = link(at: next), hops < 40 else {
        place = next
        continue
      }
      hops += 1
      if target.isAbsolute { place = "/" }
      rest += target.components.reversed()
    }
    return nil
  }

  private static func link(at path: FilePath) -> FilePath? {
    // One byte more than is read stays zero and ends the string.
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = path.withPlatformString { readlink($0, &buffer, Int(PATH_MAX)) }
    return count > 0 ? FilePath(platformString: buffer) : nil
  }

  /// Waits for a process; false if it is still at it when the time is up.
  private func hasEnded(_ child: pid_t) -> Bool {
    var pause: UInt32 = 200
    var waited = 0.0
    while waitpid(child, nil, WNOHANG) == 0 {
      guard waited < seconds, !Task.isCancelled else {
        // It may end now, or when the file system answers, or never.
        kill(child, SIGKILL)
        return waitpid(child, nil, WNOHANG) != 0
      }
      usleep(pause)
      waited += Double(pause) / 1_000_000
      pause = min(pause * 2, 20_000)
    }
    return true
  }

  private static func spawn(_ arguments: [String]) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var child: pid_t = 0
    let words = arguments.map { strdup($0) }
    defer { for word in words { free(word) } }
    var environment: [UnsafeMutablePointer<CChar>?] = [nil]
    let status = posix_spawn(&child, arguments[0], &actions, nil, words + [nil], &environment)
    return status == 0 ? child : nil
  }
}
