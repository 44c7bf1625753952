import Synchronization
import SystemPackage

/// What tells a file from a copy of it, and this machine from others.
///
/// A copy has another inode or was born later; the device's number is left out where the time of
/// birth is known, since it may change when the machine starts.
package enum FileOrigin {
  private static let machineFile: FilePath = "/etc/machine-id"
  private static let maximumBytes = 256

  /// A line each: the machine, the inode, and when it was born, or on which device it is.
  ///
  /// - returns: nil if the file, or what names the machine, cannot be looked at.
  package static func describe(_ path: FilePath) -> [UInt8]? {
    guard let status = try? LinuxFileSystem().status(of: path), let name = machineName() else {
      return nil
    }
    let birth = RawLinux.birth(of: path).map { "born \($0)" } ?? "device \(status.device)"
    return name + Array("\n\(status.inode)\n\(birth)".utf8)
  }

  /// What names this machine, empty if nothing does; nil if that cannot be read.
  ///
  /// Each write asks, since a machine may be cloned while this process runs, and be given another
  /// name then: so the file is read again only once it looks otherwise.
  private static func machineName() -> [UInt8]? {
    let files = LinuxFileSystem()
    do {
      let look = try files.status(of: machineFile)
      if let known = known.withLock(\.self), known.look == look { return known.name }
      let contents = try files.contents(of: machineFile, limit: maximumBytes)
      let name = Array(contents.bytes.prefix { $0 != UInt8(ascii: "\n") })
      known.withLock { $0 = (contents.statusBefore, name) }
      return name
    } catch {
      // Not every machine has a name; one that cannot be read now is not another machine.
      return error.errno == .noSuchFileOrDirectory ? [] : nil
    }
  }

  private static let known = Mutex<(look: FileStatus, name: [UInt8])?>(nil)
}
