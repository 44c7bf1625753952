import CInotifyTools
import Glibc
import SystemPackage

/// The one inotify instance of libinotifytools, which is to stay on one thread.
///
/// It knows the traps of the library (3.22.6, `libinotifytools/src/inotifytools.c`), so that
/// nobody else has to.
package final class InotifyLibrary {
  /// The descriptor that the library hides.
  package let descriptor: Int32
  private let null: Int32

  /// The watch that was asked for when it was made.
  let watch: Int32

  /// Makes the instance, with a descriptor that children do not inherit, and a first watch.
  ///
  /// - parameters:
  ///   - path: The directory to watch, which nobody else in this process watches.
  ///   - mask: For what; which watches an instance has also tells which is the library's.
  ///   - descriptors: Gives those of this process that are inotify instances.
  package init(
    watching path: FilePath, mask: UInt32,
    seeing descriptors: () -> Set<Int32> = { InotifyInstance.all() }
  ) throws(WatchError) {
    let null = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard null >= 0 else { throw Self.failure(.last) }
    do {
      (descriptor, watch) = try Self.open(watching: path, mask, seeing: descriptors)
    } catch {
      close(null)
      throw error
    }
    self.null = null
  }

  /// Watches the directory at `path` for `mask`.
  ///
  /// - returns: The watch descriptor, or nil if it is to be found by the path of an event. Of a
  ///   path that was watched before, as another directory, it is the old one.
  func watch(_ path: FilePath, mask: UInt32) throws(Errno) -> Int32? {
    try Self.watch(path, mask: mask)
  }

  private static func watch(_ path: FilePath, mask: UInt32) throws(Errno) -> Int32? {
    let added = path.withPlatformString { inotifytools_watch_file($0, Int32(bitPattern: mask)) }
    if added == 0 { throw Errno(rawValue: inotifytools_error()) }
    let watch = path.withPlatformString { Self.watch(of: $0) }
    return watch > 0 ? watch : nil
  }

  /// - parameter path: As it is: a name need not be UTF-8.
  private static func watch(of path: UnsafePointer<CChar>) -> Int32 {
    // The library ends the name of a directory with a slash, but not that of a link to one.
    let slashed: [CChar] = UnsafeBufferPointer(start: path, count: strlen(path)) + [0x2F, 0]
    let watch = inotifytools_wd_from_filename(slashed)
    return watch > 0 ? watch : inotifytools_wd_from_filename(path)
  }

  /// The path that was watched under this descriptor.
  func path(of watch: Int32) -> FilePath? {
    inotifytools_filename_from_wd(watch).map { FilePath(platformString: $0) }
  }

  /// Waits for an event for as long as it takes, and has `body` copy it out.
  ///
  /// The library keeps the event in a static buffer that the next call overwrites.
  func next<Result>(
    _ body: (_ watch: Int32, _ mask: UInt32, _ name: UnsafeBufferPointer<UInt8>) -> Result
  ) throws(Errno) -> Result {
    // 0 is turned into -1, which is for ever: no wake-up that nobody has asked for.
    guard let event = inotifytools_next_event(0) else {
      throw Errno(rawValue: inotifytools_error())
    }
    let start = UnsafeRawPointer(event) + MemoryLayout<inotify_event>.size
    let padded = UnsafeRawBufferPointer(start: start, count: Int(event.pointee.len))
    let length = padded.firstIndex(of: 0) ?? padded.count
    return padded.prefix(length).withMemoryRebound(to: UInt8.self) {
      body(event.pointee.wd, event.pointee.mask, $0)
    }
  }

  /// Ends the instance and its watches, and discards the events that nobody has read.
  ///
  /// `inotifytools_cleanup` leaves events in a static buffer, and the next instance would deliver
  /// them under watch descriptors that are its own by then. So something that yields no event
  /// takes the descriptor's place first, and the buffer is emptied.
  package func end() {
    dup2(null, descriptor)
    while inotifytools_next_event(0) != nil {}
    inotifytools_cleanup()
    close(null)
  }

  private static func open(
    watching path: FilePath, _ mask: UInt32, seeing descriptors: () -> Set<Int32>
  ) throws(WatchError) -> (descriptor: Int32, watch: Int32) {
    for _ in 0..<attempts {
      guard let descriptor = try initialize(seeing: descriptors) else { continue }
      do throws(Errno) {
        guard let watch = try watch(path, mask: mask) else { throw .badFileDescriptor }
        if InotifyInstance.mayWatch(for: mask, descriptor) {
          _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
          return (descriptor, watch)
        }
      } catch {
        inotifytools_cleanup()
        throw .unavailable(error == .noSpace ? .watchesExhausted : .cookies(error))
      }
      inotifytools_cleanup()
    }
    throw .unavailable(.descriptor)
  }

  /// Makes the instance.
  ///
  /// - returns: its descriptor, as it seems; nil if it made none, since that is not known.
  private static func initialize(
    seeing descriptors: () -> Set<Int32>
  ) throws(WatchError) -> Int32? {
    let (failure, new): (Errno?, Set<Int32>) = InotifyInstance.alone {
      let before = descriptors()
      guard inotifytools_initialize() == 1 else {
        return (Errno(rawValue: inotifytools_error()), [])
      }
      return (nil, descriptors().subtracting(before))
    }
    if let failure { throw Self.failure(failure) }
    // What is no part of feedsync may have made an instance of its own meanwhile, or ended one.
    // And the library calls `select`, which writes beyond its set for a descriptor that is too
    // great.
    guard new.count == 1, let descriptor = new.first, descriptor < FD_SETSIZE else {
      inotifytools_cleanup()
      return nil
    }
    return descriptor
  }

  /// How often it is tried to tell the library's descriptor from those of other threads.
  private static let attempts = 8

  private static func failure(_ errno: Errno) -> WatchError {
    let isExhausted = errno == .tooManyOpenFiles || errno == .tooManyOpenFilesInSystem
    return .unavailable(isExhausted ? .instancesExhausted : .unavailable(errno))
  }
}
