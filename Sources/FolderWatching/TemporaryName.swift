/// Tells names that are never a segment, so that a syncer's temporary files wake nobody.
enum TemporaryName {
  /// Whether `name` is a dot-file (`.syncthing.*`, `.nfs*`), `~syncthing~*` or has `.nosync` in it.
  static func matches(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = name.first else { return true }
    if first == UInt8(ascii: ".") { return true }
    if first == UInt8(ascii: "~") { return name.starts(with: "~syncthing~".utf8) }
    return contains(".nosync", in: name)
  }

  private static func contains(
    _ wanted: StaticString, in name: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    let length = wanted.utf8CodeUnitCount
    guard name.count >= length else { return false }
    let wanted = UnsafeBufferPointer(start: wanted.utf8Start, count: length)
    return (0...(name.count - length)).contains { start in
      name[start] == wanted[0] && name[start..<(start + length)].elementsEqual(wanted)
    }
  }
}
