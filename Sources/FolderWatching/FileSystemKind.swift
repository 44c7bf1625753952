import CInotifyTools
import SystemPackage

/// Tells file systems on which the kernel does not see every change.
package enum FileSystemKind {
  /// The name of the network or user-space file system that has this `statfs` magic, or nil.
  ///
  /// FUSE is among them as a whole: sshfs, rclone and SMB mounts say no more than that, and none
  /// of them was seen to report a change made elsewhere.
  package static func withoutEvents(magic: UInt32) -> String? { kinds[magic] }

  /// The name of such a file system if `path` lies on one, and nil if not or if it is missing.
  package static func withoutEvents(at path: FilePath) -> String? {
    var information = statfs()
    guard path.withPlatformString({ statfs($0, &information) }) == 0 else { return nil }
    return withoutEvents(magic: UInt32(truncatingIfNeeded: information.f_type))
  }

  // <linux/magic.h>, and statfs(2) for what is not there.
  private static let kinds: [UInt32: String] = [
    0x6969: "NFS",
    0x517B: "SMB",
    0xFF53_4D42: "SMB",
    0xFE53_4D42: "SMB",
    0x6573_5546: "FUSE",
    0x0102_1997: "9P",
    0x5346_414F: "AFS",
    0x6B41_4653: "AFS",
    0x00C3_6400: "Ceph",
    0x7375_7245: "Coda",
    0x0000_564C: "NCP",
    0x7461_636F: "OCFS2",
    0x0116_1970: "GFS2",
    0x4750_4653: "GPFS",
    0x0BD0_0BD0: "Lustre",
    0x2003_0528: "OrangeFS",
    0x786F_4256: "a VirtualBox shared folder",
    0xBACB_ACBC: "a VMware shared folder",
  ]
}
