import Glibc

/// Whether this process may mount a file system in memory, which in a container even the superuser
/// need not.
///
///     @Test(.enabled(if: MountTrial.succeeds, "no tmpfs can be mounted here"))
package enum MountTrial {
  package static let succeeds: Bool = {
    guard let directory = try? TemporaryDirectory() else { return false }
    let path = directory.path.string
    return mount("feedsync-test", path, "tmpfs", 0, "size=64k") == 0
      && umount2(path, Int32(MNT_DETACH)) == 0
  }()
}
