/// The mounts that `/proc/self/mountinfo` lists (`proc_pid_mountinfo(5)`).
package struct MountTable {
  private var mounts: [(point: [UInt8], name: String)] = []

  /// The mounts as they are now; nil without /proc.
  package static func current() -> MountTable? {
    // One line a mount; 16 MiB of it is more than any machine has.
    (try? LinuxFileSystem().readAll("/proc/self/mountinfo", limit: 1 << 24).bytes)
      .map { MountTable($0) }
  }

  /// Reads the file's text; lines that don't look like mounts are left out.
  package init(_ text: [UInt8]) {
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: " "))
      // A varying number of optional fields stands between the fixed ones and a lone hyphen.
      guard fields.count > 6,
        let hyphen = fields[6...].firstIndex(where: { $0.elementsEqual([UInt8(ascii: "-")]) }),
        hyphen + 1 < fields.count
      else { continue }
      let name = String(decoding: Self.unescaped(fields[hyphen + 1]), as: UTF8.self)
      mounts.append((Self.unescaped(fields[4]), name))
    }
  }

  /// The name of the file system that holds an absolute path without symbolic links.
  ///
  /// Among mounts on one point the last is on top.
  package func name(for path: [UInt8]) -> String? {
    var best: (length: Int, name: String)?
    for mount in mounts where Self.contains(mount.point, path) {
      if mount.point.count >= best?.length ?? 0 { best = (mount.point.count, mount.name) }
    }
    return best?.name
  }

  private static func contains(_ point: [UInt8], _ path: [UInt8]) -> Bool {
    let slash = UInt8(ascii: "/")
    guard point != [slash] else { return path.first == slash }
    guard path.starts(with: point) else { return false }
    return path.count == point.count || path[point.count] == slash
  }

  /// Decodes the octal escapes, such as `\040`, that the kernel writes for white space.
  private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3, digits.allSatisfy({ 0x30...0x37 ~= $0 }) {
        let value = digits.reduce(0) { $0 << 3 | Int($1 - 0x30) }
        bytes.append(UInt8(truncatingIfNeeded: value))
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }
}
