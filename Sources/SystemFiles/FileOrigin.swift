import Glibc
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
    let files = LinuxFileSystem()
    guard let status = try? files.status(of: path) else { return nil }
    var machine: [UInt8] = []
    do {
      machine = try files.contents(of: machineFile, limit: maximumBytes).bytes
    } catch {
      // Not every machine has a name; one that cannot be read now is not another machine.
      guard error.errno == .noSuchFileOrDirectory else { return nil }
    }
    let name = machine.prefix { $0 != UInt8(ascii: "\n") }
    let birth = RawLinux.birth(of: path).map { "born \($0)" } ?? "device \(status.device)"
    return name + Array("\n\(status.inode)\n\(birth)".utf8)
  }
}
