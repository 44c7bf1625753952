import SystemPackage

extension FilePath {
  /// Takes a path as bytes; nil where a zero byte would cut it short.
  ///
  /// Repeated and trailing slashes are dropped, as `FilePath` always does; nothing else changes.
  package init?(bytes: [UInt8]) {
    guard !bytes.contains(0) else { return nil }
    self = (bytes + [0]).withUnsafeBytes { raw in
      raw.withMemoryRebound(to: CChar.self) { characters in
        characters.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
      }
    }
  }

  /// The path as bytes, without a zero at the end.
  package var bytes: [UInt8] {
    withPlatformString { Array(UnsafeRawBufferPointer(start: $0, count: length)) }
  }

  /// The directory that holds the name: "." for a name alone.
  package var parent: FilePath {
    let parent = removingLastComponent()
    return parent.isEmpty ? "." : parent
  }
}

extension FilePath.Component {
  /// Takes a name as bytes; nil where it is empty or holds a slash or a zero byte.
  package init?(bytes: [UInt8]) {
    guard Self.isName(bytes), let component = FilePath(bytes: bytes)?.lastComponent else {
      return nil
    }
    self = component
  }

  static func isName(_ bytes: [UInt8]) -> Bool {
    !bytes.isEmpty && !bytes.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
  }

  /// The name as bytes.
  package var bytes: [UInt8] {
    withPlatformString { pointer in
      var count = 0
      while pointer[count] != 0 { count += 1 }
      return [UInt8](UnsafeRawBufferPointer(start: pointer, count: count))
    }
  }
}
