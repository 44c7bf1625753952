import SystemPackage

/// What a watcher says about the folder, whatever it is that watches.
///
/// An event is a hint that marks a directory dirty, never the truth: the scan is. Directories are
/// `FilePath.Component`, not `String`: two names that are canonically equivalent are two
/// directories (protocol.md 5), and a name need not be UTF-8.
package enum FolderEvent: Hashable, Sendable {
  /// A file came to, or went from, the stream directory of this name; or the directory went.
  case changed(FilePath.Component)
  /// A stream directory appeared; it is watched now, and files may already have been in it.
  case appeared(FilePath.Component)
  /// Events may have been lost, or the watches had to be made anew: rescan everything.
  case overflow
  /// `logs/`, or the container itself, is no longer where it was, or is not there yet.
  case rootGone
  /// Watching failed, once or for good; rescan everything. A change of mode is told apart.
  case failed(Errno)
  /// It is time for a rescan: every few seconds when polling, every few minutes otherwise.
  case rescan
  /// How changes are found has changed; ``WatchMode`` says why.
  case mode(WatchMode)
}

/// What a backend says: an event for the user, or something for the watcher itself.
package enum WatchSignal: Hashable, Sendable {
  /// An event to pass on.
  case event(FolderEvent)
  /// The event of a cookie came, and so has every event before it.
  case cookie(UInt64)
  /// The backend has ended by itself, says nothing more, and polling must take over.
  case ended(PollingReason)
}

/// How changes are found.
package enum WatchMode: Hashable, Sendable {
  /// The kernel tells; a rescan every few minutes is the safety net.
  case inotify
  /// A rescan every few seconds finds them.
  case polling(PollingReason)
}

/// Why the kernel's events are not relied upon.
package enum PollingReason: Hashable, Sendable {
  /// The file system, named here, does not tell what other machines do.
  case fileSystem(String)
  /// The user has no inotify watches left (`ENOSPC`).
  case watchesExhausted
  /// The user has no inotify instances left, or the process no descriptors (`EMFILE`).
  case instancesExhausted
  /// The folder is not there now; where it can appear by a mount, no event announces it.
  case folderMissing
  /// The directory for cookie files cannot be made or watched.
  case cookies(Errno)
  /// Anything else that keeps inotify from working.
  case unavailable(Errno)
  /// The descriptor of libinotifytools was not found, or is too great for its `select`.
  case descriptor
  /// Another folder is watched in this process, and libinotifytools watches but one.
  case watcherTaken
}

extension PollingReason: CustomStringConvertible {
  package var description: String {
    switch self {
    case .fileSystem(let name): "the folder is on \(name), which does not report remote changes"
    case .watchesExhausted: "no inotify watches are left (sysctl fs.inotify.max_user_watches)"
    case .instancesExhausted: "no inotify instances are left (sysctl fs.inotify.max_user_instances)"
    case .folderMissing: "the folder is missing"
    case .cookies(let errno): "the local state directory cannot be watched: \(errno)"
    case .unavailable(let errno): "inotify does not work: \(errno)"
    case .descriptor: "the process has too many open files, or /proc is not mounted"
    case .watcherTaken: "this process watches another folder"
    }
  }
}
