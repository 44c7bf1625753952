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
  private let mounts: @Sendable () -> MountTable?
  /// What is known of each folder, so that one is not asked twice by one command.
  private let folders = Mutex<[FilePath: Known]>([:])
  private static let remembering: Duration = .seconds(1)

  /// Locked for as long as its folder is asked: nobody waits for another one.
  private final class Known: Sendable {
    let memory = Mutex(Memory())
  }

  private struct Memory {
    var answer = FolderAnswer.answers
    var until: ContinuousClock.Instant?
    /// The process that has not come back; as long as it has not, no other is sent.
    var messenger: Messenger?
  }

  /// - parameters:
  ///   - seconds: how long to wait for an answer.
  ///   - mounts: tells what is mounted, each time that a folder is asked.
  package init(
    seconds: Double, mounts: @escaping @Sendable () -> MountTable? = { MountTable.current() }
  ) {
    self.seconds = seconds
    self.mounts = mounts
  }

  /// Asks by reading `file` in `folder`; that there is none is an answer too.
  ///
  /// Waits no longer if the surrounding task is cancelled.
  package func ask(_ folder: FilePath, file: FilePath.Component) -> FolderAnswer {
    let known = known(of: folder)
    let answer = known.memory.withLock { memory in
      if let until = memory.until, ContinuousClock.now < until { return memory.answer }
      memory.answer = ask(folder, file, &memory.messenger)
      // Who was cancelled has not waited, which says nothing to others.
      memory.until = Task.isCancelled ? nil : ContinuousClock.now + Self.remembering
      return memory.answer
    }
    // The next question will be for where the links lead.
    if case .silent(let resolved) = answer { folders.withLock { $0[resolved] = known } }
    return answer
  }

  private func known(of folder: FilePath) -> Known {
    folders.withLock { folders in
      if let known = folders[folder] { return known }
      let known = Known()
      folders[folder] = known
      return known
    }
  }

  private func ask(
    _ folder: FilePath, _ file: FilePath.Component, _ messenger: inout Messenger?
  ) -> FolderAnswer {
    guard let place = mounts()?.remotePlace(of: folder)?.path else { return .answers }
    // One that was killed may have ended since without an answer: then another is sent.
    if let outcome = messenger?.outcome(within: seconds), outcome != .wasKilled {
      if outcome == .cameBack { messenger = nil }
      return outcome == .cameBack ? .answers : .silent(resolved: place)
    }
    let words = ["--", place.appending(file).string]
    // Not every system has it there; who has none anywhere cannot ask.
    messenger = Messenger(["/bin/cat"] + words) ?? Messenger(["cat"] + words)
    guard let outcome = messenger?.outcome(within: seconds) else { return .answers }
    if outcome != .waits { messenger = nil }
    return outcome == .cameBack ? .answers : .silent(resolved: place)
  }
}
