import CInotifyTools
import Glibc
import SystemPackage

/// Tries out whether the kernel would let a watcher watch these directories now.
///
/// Apart from libinotifytools, so that a watcher of this process is not in the way.
package enum InotifyTrial {
  /// - returns: why it would not; nil if it would.
  package static func run(on directories: [FilePath]) -> PollingReason? {
    let instance: Int32
    do {
      instance = try InotifyInstance.make()
    } catch {
      let isExhausted = error == .tooManyOpenFiles || error == .tooManyOpenFilesInSystem
      return isExhausted ? .instancesExhausted : .unavailable(error)
    }
    // With it, all its watches go.
    defer { InotifyInstance.end(instance) }
    for directory in directories {
      let mask = UInt32(IN_CREATE | IN_ONLYDIR)
      let watch = directory.withPlatformString { inotify_add_watch(instance, $0, mask) }
      guard watch < 0 else { continue }
      switch Errno(rawValue: Glibc.errno) {
      case .noSpace: return .watchesExhausted
      // It went away meanwhile, or may not be read, which others tell.
      case .noSuchFileOrDirectory, .notDirectory, .permissionDenied: continue
      case let errno: return .unavailable(errno)
      }
    }
    return nil
  }
}
