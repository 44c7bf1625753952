import CanonicalJSON

/// A place in a document: the keys from its root down to a member.
///
/// Kept as bytes so that a subtree is one run in sorted order and siblings sort as their keys do:
/// each key stands behind a 0x00, with 0x00 in it written 0x01 0x01 and 0x01 written 0x01 0x02.
/// The root is the empty string. People meet paths as JSON Pointers (RFC 6901):
///
///     Path(keys: ["a", "b/c"]).pointer  // "/a/b~1c"
package struct Path: Hashable, Sendable {
  package let bytes: SmallBytes

  package static let root = Path(unchecked: SmallBytes())

  /// Takes bytes that are already known to be a well-formed path.
  package init(unchecked bytes: SmallBytes) { self.bytes = bytes }

  package init(unchecked bytes: [UInt8]) { self.bytes = SmallBytes(bytes) }

  package init(keys: some Sequence<ByteString>) {
    self = keys.reduce(.root) { $0.appending($1) }
  }

  /// Reads bytes from outside; nil if they are no path, or deeper than ``Limits/depth``.
  package init?(validating bytes: [UInt8]) {
    guard Path.isWellFormed(bytes) else { return nil }
    self.bytes = SmallBytes(bytes)
  }

  package var isRoot: Bool { bytes.isEmpty }

  /// The path of the member `key` of the object at this path.
  package func appending(_ key: ByteString) -> Path {
    var bytes = self.bytes.array
    bytes.reserveCapacity(bytes.count + key.bytes.count + 1)
    bytes.append(0)
    for byte in key.bytes {
      if byte <= 1 {
        bytes.append(1)
        bytes.append(byte + 1)
      } else {
        bytes.append(byte)
      }
    }
    return Path(unchecked: bytes)
  }

  /// Whether this is `other` or lies below it.
  package func isAtOrBelow(_ other: Path) -> Bool {
    let length = other.bytes.count
    guard bytes.count >= length else { return false }
    guard bytes.count == length || bytes[length] == 0 else { return false }
    return bytes.hasPrefix(other.bytes)
  }

  /// Where the part of this path that follows `length` bytes has its first key's end.
  package func endOfKey(after length: Int) -> Int {
    bytes.nextZero(from: length + 1)
  }

  /// The first `length` bytes as a path; `length` must be the end of a key.
  package func prefix(_ length: Int) -> Path { Path(unchecked: bytes.prefix(length)) }

  /// The paths above this one, from the root down, without the path itself.
  package var ancestors: [Path] {
    bytes.indices.filter { bytes[$0] == 0 }.map { prefix($0) }
  }

  /// Calls `body` with the paths above this one, from the root down, and then with this one, until
  /// it returns false.
  func forEachAtOrAbove(_ body: (Path) -> Bool) {
    var length = 0
    // Most paths are a key long, so that nothing has to be made.
    while length < bytes.count {
      guard body(length == 0 ? .root : prefix(length)) else { return }
      length = endOfKey(after: length)
    }
    _ = body(self)
  }

  package var keys: [ByteString] {
    bytes.array.split(separator: 0, omittingEmptySubsequences: false).dropFirst().map {
      ByteString(unchecked: Path.unescape($0))
    }
  }

  /// The last key; nil for the root.
  package var lastKey: ByteString? { keys.last }

  /// The path above this one; nil for the root.
  package var parent: Path? { bytes.lastIndex(of: 0).map { prefix($0) } }

  /// Whether the last key names an element of a set above it, which is not the document itself.
  var isElementOfSet: Bool {
    guard let parent, !parent.isRoot, let key = lastKey else { return false }
    return SetElement(key: key) != nil
  }

  private static func unescape(_ key: ArraySlice<UInt8>) -> [UInt8] {
    guard key.contains(1) else { return Array(key) }
    var result: [UInt8] = []
    var isEscaped = false
    for byte in key {
      if isEscaped {
        result.append(byte - 1)
        isEscaped = false
      } else if byte == 1 {
        isEscaped = true
      } else {
        result.append(byte)
      }
    }
    return result
  }

  private static func isWellFormed(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first else { return true }
    guard first == 0 else { return false }
    var depth = 0
    var isEscaped = false
    for byte in bytes {
      if isEscaped {
        guard byte == 1 || byte == 2 else { return false }
        isEscaped = false
      } else if byte == 0 {
        depth += 1
      } else if byte == 1 {
        isEscaped = true
      }
    }
    guard !isEscaped, depth <= Limits.depth else { return false }
    return ByteString(utf8: bytes) != nil
  }
}

extension Path: Comparable {
  package static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.bytes < rhs.bytes
  }
}

extension Path: CustomStringConvertible {
  /// The path as a JSON Pointer; the root is the empty string.
  package var pointer: String {
    keys.map { key in
      "/"
        + key.description.unicodeScalars.reduce(into: "") { text, scalar in
          switch scalar {
          case "~": text += "~0"
          case "/": text += "~1"
          default: text.unicodeScalars.append(scalar)
          }
        }
    }.joined()
  }

  package var description: String { pointer }

  /// Reads a JSON Pointer; nil if it is none.
  package init?(pointer: String) {
    guard pointer.isEmpty || pointer.utf8.first == UInt8(ascii: "/") else { return nil }
    var keys: [ByteString] = []
    for part in pointer.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .dropFirst()
    {
      guard let key = Path.key(ofPointerPart: Array(part)) else { return nil }
      keys.append(key)
    }
    self.init(keys: keys)
  }

  private static func key(ofPointerPart part: [UInt8]) -> ByteString? {
    var key: [UInt8] = []
    var position = 0
    while position < part.count {
      if part[position] == UInt8(ascii: "~") {
        position += 1
        guard position < part.count else { return nil }
        switch part[position] {
        case UInt8(ascii: "0"): key.append(UInt8(ascii: "~"))
        case UInt8(ascii: "1"): key.append(UInt8(ascii: "/"))
        default: return nil
        }
      } else {
        key.append(part[position])
      }
      position += 1
    }
    return ByteString(unchecked: key)
  }
}
