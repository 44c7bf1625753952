import Replication
import SegmentFormat
import SystemPackage

/// The name of a segment file: `<first>-<last>-<digest>.log`, each 16 hexadecimal digits.
///
///     SegmentName(first: 1, last: 12, digest: 0xFF).text
///     // "0000000000000001-000000000000000c-00000000000000ff.log"
package struct SegmentName: Hashable, Sendable {
  /// How many bytes each has.
  static let length = 54

  package let first: UInt64
  package let last: UInt64
  package let digest: UInt64

  package init(first: UInt64, last: UInt64, digest: UInt64) {
    self.first = first
    self.last = last
    self.digest = digest
  }

  /// Reads a name; nil if it is not exactly of this form.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.length,
      bytes[16] == UInt8(ascii: "-"), bytes[33] == UInt8(ascii: "-"),
      bytes[50...].elementsEqual(".log".utf8), let first = Self.number(in: bytes, at: 0),
      let last = Self.number(in: bytes, at: 17), let digest = Self.number(in: bytes, at: 34)
    else { return nil }
    self.init(first: first, last: last, digest: digest)
  }

  /// What sixteen lower-case hexadecimal digits say; not by what is generic in another module,
  /// which is not specialized here: it took a quarter of the time to list thousands of names.
  private static func number(in name: [UInt8], at start: Int) -> UInt64? {
    var number: UInt64 = 0
    for index in start..<(start + 16) {
      switch name[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(name[index] - 0x30)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(name[index] - 0x57)
      default: return nil
      }
    }
    return number
  }

  package var text: String {
    [first, last, digest].map { $0.lowercaseHexadecimal(digits: 16) }.joined(separator: "-")
      + ".log"
  }

  /// The name for the `copy`-th file of the same content, where the proper name is taken by
  /// something else; 0 is the proper name.
  package func component(copy: Int = 0) -> FilePath.Component? {
    FilePath.Component(copy == 0 ? text : String(text.dropLast(4)) + "-\(copy + 1).log")
  }
}
