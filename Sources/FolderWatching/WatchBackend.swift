import SystemPackage

/// What finds changes for a ``FolderWatcher``.
///
/// The seam exists because libinotifytools is under GPL-2 and process-global: another backend can
/// take its place, and tests have one that behaves badly on purpose.
package protocol WatchBackend: Sendable {
  /// Subscribes; every change after its return is told to `deliver`, one signal at a time.
  ///
  /// - throws: ``WatchError``; after `unavailable` the caller polls instead.
  func start(deliver: @escaping @Sendable (WatchSignal) -> Void) async throws(WatchError)
    -> WatchMode

  /// Makes `WatchSignal.cookie(id)` come after the events of all that has happened until now.
  func touchCookie(_ id: UInt64) throws(Errno)

  /// Makes sure that what is watched is still what the paths name, then delivers `rescan`.
  func tick()

  /// Ends the backend; once it has returned, nothing is delivered.
  func stop() async
}

/// Why a watcher does not start.
package enum WatchError: Error, Hashable, Sendable {
  /// Another watcher runs in this process, and libinotifytools allows but one.
  case alreadyRunning
  /// This backend cannot work here.
  case unavailable(PollingReason)
}
