import Foundation
import SystemFiles
import SystemPackage
import TestSupport
import Testing

@Suite("A database") struct DatabaseFitnessTests {
  @Test("is fit for local file systems, and for FUSE that shows this machine's own files")
  func fit() {
    #expect(FileSystemKind.local.fitness == .fit)
    #expect(FileSystemKind(magic: 0x6573_5546, mountName: "fuseblk").fitness == .fit)
    for name in ["fuse.gocryptfs", "fuse.mergerfs", "fuse.fuse-overlayfs"] {
      #expect(FileSystemKind.remote(name: name).fitness == .fit, "\(name)")
    }
  }

  @Test(
    "is unfit for what other machines can change",
    arguments: ["nfs", "nfs4", "cifs", "vboxsf", "fuse.sshfs", "fuse.rclone", "fuse.smbnetfs"])
  func unfit(name: String) {
    #expect(FileSystemKind.remote(name: name).fitness == .unfit(name: name))
  }

  @Test(
    "is a question for FUSE that is not known, and for shares of a host",
    arguments: ["fuse", "fuse.mine", "virtiofs", "9p"])
  func unknown(name: String) {
    #expect(FileSystemKind.remote(name: name).fitness == .unknown(name: name))
  }
}

@Suite("A folder's file system") struct FolderProbeTests {
  @Test("is not asked where it is local, there or not")
  func local() throws {
    let directory = try TemporaryDirectory()
    let probe = FolderProbe(seconds: 0)
    #expect(probe.ask(directory.path, file: "marker") == .answers)
    #expect(probe.ask(directory.path.appending("absent"), file: "marker") == .answers)
    #expect(probe.ask("/", file: "marker") == .answers)
  }

  @Test("is asked again after somebody was cancelled who asked")
  func cancelled() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    let probe = FolderProbe(seconds: 30) {
      MountTable(Array("1 0 0:1 / \(path) rw - nfs4 server:/ rw".utf8))
    }
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = probe.ask(path, file: "marker")
    }.value
    #expect(probe.ask(path, file: "marker") == .answers)
  }

  @Test("is asked while another one does not answer")
  func beside() throws {
    let (silent, other) = (try TemporaryDirectory(), try TemporaryDirectory())
    let path = silent.path
    let marker = path.appending("marker").string
    try #require(mkfifo(marker, 0o600) == 0)
    let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let probe = FolderProbe(seconds: 30) {
      begun.signal()
      return MountTable(Array("1 0 0:1 / \(path) rw - nfs4 server:/ rw".utf8))
    }
    Thread.detachNewThread {
      _ = probe.ask(path, file: "marker")
      ended.signal()
    }
    begun.wait()
    let start = ContinuousClock.now
    #expect(probe.ask(other.path, file: "marker") == .answers)
    #expect(ContinuousClock.now - start < .seconds(15), "the silent one was waited for")
    // Whoever reads there comes to the end of nothing, as soon as it has begun.
    while ended.wait(timeout: .now() + .milliseconds(1)) == .timedOut {
      let writer = open(marker, O_WRONLY | O_NONBLOCK)
      if writer >= 0 { close(writer) }
    }
  }

  @Test("may hang if it has a server or a program behind it")
  func kinds() {
    for name in ["nfs4", "cifs", "fuse.sshfs", "fuse", "autofs"] {
      #expect(FileSystemKind.mayHang(mountName: name), "\(name)")
    }
    for name in ["ext4", "tmpfs", "fuseblk", "fusectl"] {
      #expect(!FileSystemKind.mayHang(mountName: name), "\(name)")
    }
    #expect(!FileSystemKind.mayHang(mountName: nil))
  }

  @Test("that does not answer fails every call at once")
  func unreachable() {
    let files = UnreachableFileSystem()
    let expected = FileError(.open, "/x", .timedOut)
    #expect(throws: expected) { try files.contents(of: "/x", limit: 1) }
    #expect(expected.meansUnreachable)
    #expect(!FileError.notAFile("/x", found: .fifo).meansUnreachable)
    #expect(!FileError(.open, "/x", .noSuchFileOrDirectory).meansUnreachable)
  }
}
