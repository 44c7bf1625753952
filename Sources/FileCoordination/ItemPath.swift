import SystemFiles
import SystemPackage

/// An absolute path without symbolic links on the way, as bytes that compare fast.
package struct ItemPath: Hashable, Sendable {
  /// More than this Linux does not take (`PATH_MAX`).
  package static let maximumBytes = 4096

  /// The bytes, which begin with a slash and end in none.
  package let bytes: [UInt8]

  /// Takes bytes as they are; nil where they are no absolute path in its shortest form.
  package init?(bytes: [UInt8]) {
    guard bytes.first == Self.slash, bytes.count <= Self.maximumBytes, !bytes.contains(0),
      bytes.count == 1 || bytes.last != Self.slash
    else { return nil }
    let names = bytes.dropFirst().split(separator: Self.slash, omittingEmptySubsequences: false)
    let isPlain = names.allSatisfy { name in
      !name.isEmpty && name != [Self.dot] && name != [Self.dot, Self.dot]
    }
    guard isPlain || bytes.count == 1 else { return nil }
    self.bytes = bytes
  }

  private init(plain bytes: [UInt8]) { self.bytes = bytes }

  /// The path as the system takes it.
  package var filePath: FilePath { FilePath(bytes: bytes) ?? FilePath("/") }

  /// The path for people.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Whether another item lies in this one, at any depth.
  package func contains(_ other: ItemPath) -> Bool {
    let own = bytes.count
    guard own < other.bytes.count else { return false }
    return (own == 1 || other.bytes[own] == Self.slash) && other.bytes.starts(with: bytes)
  }

  /// The path after an item was renamed: nil if this is neither that item nor in it, or where the
  /// path would be longer than the system takes, so that nobody can name the item by it.
  package func moved(from old: ItemPath, to new: ItemPath) -> ItemPath? {
    if self == old { return new }
    guard old.contains(self),
      bytes.count - old.bytes.count + new.bytes.count <= Self.maximumBytes
    else { return nil }
    return ItemPath(plain: new.bytes + bytes.dropFirst(old.bytes.count))
  }

  private static let slash = UInt8(ascii: "/")
  private static let dot = UInt8(ascii: ".")
}

extension ItemPath {
  /// The endings of directories that are one document: whoever touches a part touches the whole.
  ///
  /// The same for all programs, since two that disagreed would not exclude one another.
  private static let packageEndings: [[UInt8]] = ["bundle", "package", "rtfd"].map {
    Array(".\($0)".utf8)
  }

  /// Whether the item's own name is that of a package.
  package var isPackage: Bool { Self.isPackageName(bytes[...]) }

  /// What excludes others as one: the outermost package around the item, or the item itself.
  package var unit: ItemPath {
    guard bytes.contains(Self.dot) else { return self }
    for (index, byte) in bytes.enumerated() where byte == Self.slash && index > 0 {
      if Self.isPackageName(bytes[..<index]) { return ItemPath(plain: Array(bytes[..<index])) }
    }
    return self
  }

  private static func isPackageName(_ path: ArraySlice<UInt8>) -> Bool {
    packageEndings.contains { ending in
      // A name that is nothing but the ending is a hidden file.
      guard path.count > ending.count, path.suffix(ending.count) == ending[...] else {
        return false
      }
      return path[path.endIndex - ending.count - 1] != slash
    }
  }
}
