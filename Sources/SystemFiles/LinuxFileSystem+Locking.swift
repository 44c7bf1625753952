import Glibc
import SystemPackage

extension LinuxFileSystem {
  /// Locks the whole file with an open-file-description lock (`fcntl(2)`).
  ///
  /// A POSIX lock would vanish when any descriptor of the file is closed anywhere in the process,
  /// and a failed upgrade of `flock(2)` gives up what it had; these do neither.
  package func lock(
    _ path: FilePath, exclusive: Bool, wait: Bool, holder: [UInt8]
  ) throws(FileError) -> FileLock {
    let descriptor = try SystemCall.open(
      path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600, for: .open)
    do throws(FileError) {
      try take(descriptor, path, exclusive: exclusive, waiting: wait ? longestLockWait : .zero)
    } catch {
      _ = close(descriptor)
      throw error
    }
    if exclusive { Self.replaceText(of: descriptor, with: holder) }
    return FileLock {
      if exclusive { _ = ftruncate(descriptor, 0) }
      Self.unlock(descriptor)
      _ = close(descriptor)
    }
  }

  /// Asks until it has the lock, or the time is over: not by the kernel's own waiting, which has no
  /// end where the process that holds the lock is suspended.
  private func take(
    _ descriptor: Int32, _ path: FilePath, exclusive: Bool, waiting longest: Duration
  ) throws(FileError) {
    // From 0 for 0 bytes is the whole file; the process id must be 0 for this kind of lock.
    var request = flock()
    request.l_type = Int16(exclusive ? F_WRLCK : F_RDLCK)
    request.l_whence = Int16(SEEK_SET)
    let end = ContinuousClock.now + longest
    var pause: UInt32 = 200
    while true {
      do throws(FileError) {
        try SystemCall.run(.lock, on: path) {
          Int(fcntl(descriptor, RawLinux.setLock, &request))
        }
        return
      } catch {
        // fcntl(2) allows both numbers for "taken"; EACCES would read as a lack of permission.
        guard error.errno == .permissionDenied || error.errno == .resourceTemporarilyUnavailable
        else { throw error }
        guard ContinuousClock.now < end else {
          throw FileError(.lock, path, .resourceTemporarilyUnavailable)
        }
      }
      usleep(pause)
      pause = min(pause * 2, 20_000)
    }
  }

  /// Gives the lock up for every copy of the descriptor.
  ///
  /// Closing is not enough: a child that another thread has just forked holds a copy until it
  /// executes its program, and the lock would stay taken for as long.
  private static func unlock(_ descriptor: Int32) {
    var request = flock()
    request.l_type = Int16(F_UNLCK)
    request.l_whence = Int16(SEEK_SET)
    _ = fcntl(descriptor, RawLinux.setLock, &request)
  }

  /// Names the holder; a failure is let pass, since the text only serves error messages.
  private static func replaceText(of descriptor: Int32, with text: [UInt8]) {
    guard ftruncate(descriptor, 0) == 0 else { return }
    _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }
}
