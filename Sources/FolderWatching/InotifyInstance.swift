import Glibc
import Synchronization
import SystemPackage

/// Makes and ends this process's own inotify instances, one at a time.
///
/// libinotifytools hides its instance, which is found by which one is new (``InotifyLibrary``): so
/// nobody may make or end another in between.
package enum InotifyInstance {
  private static let turn = Mutex(())

  /// Makes one that children do not inherit and that reads without waiting.
  ///
  /// - returns: its descriptor.
  static func make() throws(Errno) -> Int32 {
    let (descriptor, failure) = turn.withLock { _ in
      (inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)), Errno.last)
    }
    guard descriptor >= 0 else { throw failure }
    return descriptor
  }

  /// Ends one, with all its watches.
  static func end(_ descriptor: Int32) { _ = turn.withLock { _ in close(descriptor) } }

  /// Does something while nobody makes or ends one.
  static func alone<Result>(_ body: () -> Result) -> Result { turn.withLock { _ in body() } }

  /// The descriptors of this process that are inotify instances.
  package static func all() -> Set<Int32> {
    let directory: FilePath = "/proc/self/fd"
    guard let names = try? DirectoryListing.names(at: directory) else { return [] }
    let instances = names.filter { name in
      var target = [CChar](repeating: 0, count: 64)
      let length = directory.appending(name).withPlatformString {
        readlink($0, &target, target.count)
      }
      return length > 0
        && target.prefix(length).elementsEqual("anon_inode:inotify".utf8.map { CChar($0) })
    }
    return Set(instances.compactMap { Int32($0.string) })
  }

  /// Whether an instance may be one that watches something for `mask`: it is not if the kernel
  /// tells of its watches, and of none for that.
  static func mayWatch(for mask: UInt32, _ descriptor: Int32) -> Bool {
    !kernelTells || watches(for: mask, descriptor)
  }

  /// Whether the kernel tells of a watch as it was asked for; else nothing follows from that.
  private static let kernelTells: Bool = {
    guard let descriptor = try? make() else { return false }
    defer { end(descriptor) }
    let mask = UInt32(IN_DELETE_SELF | IN_ONLYDIR)
    return inotify_add_watch(descriptor, "/proc", mask) >= 0 && watches(for: mask, descriptor)
  }()

  private static func watches(for mask: UInt32, _ descriptor: Int32) -> Bool {
    // IN_ALL_EVENTS, without the flags of which the kernel tells some.
    let events: UInt32 = 0xFFF
    return masks(of: descriptor).contains { $0 & events == mask & events }
  }

  /// A mask for each watch, by the `fdinfo` of proc(5).
  private static func masks(of descriptor: Int32) -> [UInt32] {
    let path = FilePath("/proc/self/fdinfo/\(descriptor)")
    let file = path.withPlatformString { open($0, O_RDONLY | O_CLOEXEC) }
    guard file >= 0 else { return [] }
    defer { close(file) }
    let text = [UInt8](unsafeUninitializedCapacity: 4096) { memory, count in
      count = max(read(file, memory.baseAddress, memory.count), 0)
    }
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    return lines.filter { $0.hasPrefix("inotify ") }.flatMap { line in
      line.split(separator: " ").filter { $0.hasPrefix("mask:") }
        .compactMap { UInt32($0.dropFirst("mask:".count), radix: 16) }
    }
  }
}
