/// Whether a file system can change without this machine's doing.
package enum FileSystemKind: Hashable, Sendable {
  /// All changes pass through this kernel: inotify sees them.
  case local

  /// Changes may be made elsewhere, and no event tells of them (`inotify(7)`).
  case remote(name: String)

  /// Decides by the magic number of `statfs(2)` and the mount table's name for the file system.
  ///
  /// Magic numbers that are not known count as local. All of FUSE has one number, and the mount
  /// table tells which it is (`fuse.sshfs`); `fuseblk` is a file system on a block device of this
  /// machine, such as an NTFS disk, and so local.
  package init(magic: UInt32, mountName: String?) {
    guard let name = Self.remoteNames[magic], mountName != "fuseblk" else {
      self = .local
      return
    }
    self = .remote(name: mountName ?? name)
  }

  /// Whether calls to a file system of this name in the mount table may wait for a server.
  package static func mayHang(mountName: String?) -> Bool {
    guard let mountName else { return false }
    return mountName == "fuse" || mountName.hasPrefix("fuse.") || serverNames.contains(mountName)
  }

  private static let serverNames: Set<String> = [
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "coda", "ncpfs", "gfs2",
    "ocfs2", "lustre", "gpfs", "orangefs", "beegfs", "autofs", "virtiofs", "glusterfs",
  ]

  /// Whether a database that several processes open may lie on a file system.
  package enum DatabaseFitness: Hashable, Sendable {
    /// Its locks and shared memory hold for all who can reach it.
    case fit
    /// Another machine can change the files unseen by this one's locks and shared memory.
    case unfit(name: String)
    /// FUSE of a kind that is not known, or a virtual machine's share: behind it may be anything.
    case unknown(name: String)
  }

  /// Judges by the name alone; `local` is fit.
  package var fitness: DatabaseFitness {
    guard case .remote(let name) = self else { return .fit }
    guard name.hasPrefix("fuse") || Self.hostShares.contains(name) else {
      return .unfit(name: name)
    }
    let kind = name.hasPrefix("fuse.") ? String(name.dropFirst(5)) : name
    if Self.fuseOverLocal.contains(kind) { return .fit }
    return Self.fuseOverNetwork.contains(kind) ? .unfit(name: name) : .unknown(name: name)
  }

  /// What virtual machines have of their host: the root of some sandboxes, a share in others.
  private static let hostShares: Set<String> = ["9p", "virtiofs"]

  /// FUSE that shows this machine's own files in another way.
  private static let fuseOverLocal: Set<String> = [
    "bindfs", "cryfs", "encfs", "exfat", "exfat-fuse", "fuse-overlayfs", "gocryptfs", "mergerfs",
    "ntfs", "ntfs-3g", "securefs", "unionfs", "veracrypt", "zfs-fuse",
  ]

  private static let fuseOverNetwork: Set<String> = [
    "ceph", "ceph-fuse", "curlftpfs", "davfs", "gcsfuse", "glusterfs", "goofys",
    "google-drive-ocamlfuse", "gvfsd-fuse", "juicefs", "moosefs", "mfsmount", "nfs", "onedriver",
    "rclone", "s3fs", "seadrive", "smbnetfs", "sshfs", "weed", "wdfs",
  ]

  /// From `statfs(2)`, the kernel's `linux/magic.h`, and the headers of those that are not in it.
  private static let remoteNames: [UInt32: String] = [
    0x0000_6969: "nfs",
    0x0000_517B: "smb",
    0xFF53_4D42: "cifs",
    0xFE53_4D42: "smb2",
    0x6573_5546: "fuse",
    0x0102_1997: "9p",
    0x00C3_6400: "ceph",
    0x5346_414F: "afs",
    0x6B41_4653: "afs",
    0x7375_7245: "coda",
    0x0000_564C: "ncpfs",
    0x0116_1970: "gfs2",
    0x7461_636F: "ocfs2",
    0x0BD0_0BD0: "lustre",
    0x4750_4653: "gpfs",
    0x2003_0528: "orangefs",
    0x1983_0326: "beegfs",
    0x786F_4256: "vboxsf",
    0xBACB_ACBC: "vmhgfs",
    0x7C7C_6673: "prl_fs",
  ]
}
