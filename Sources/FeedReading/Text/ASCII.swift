import Glibc

/// Bytes by their names in ASCII.
enum ASCII {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let formFeed: UInt8 = 0x0C
  static let carriageReturn: UInt8 = 0x0D
  static let space: UInt8 = 0x20
  static let exclamation: UInt8 = 0x21
  static let quote: UInt8 = 0x22
  static let hash: UInt8 = 0x23
  static let ampersand: UInt8 = 0x26
  static let apostrophe: UInt8 = 0x27
  static let hyphen: UInt8 = 0x2D
  static let slash: UInt8 = 0x2F
  static let colon: UInt8 = 0x3A
  static let semicolon: UInt8 = 0x3B
  static let less: UInt8 = 0x3C
  static let equals: UInt8 = 0x3D
  static let greater: UInt8 = 0x3E
  static let question: UInt8 = 0x3F
  static let openBracket: UInt8 = 0x5B
  static let backslash: UInt8 = 0x5C
  static let closeBracket: UInt8 = 0x5D
  static let underscore: UInt8 = 0x5F
}

extension UInt8 {
  var isASCIISpace: Bool { self == 0x20 || (self >= 0x09 && self <= 0x0D && self != 0x0B) }
  var isASCIIDigit: Bool { self &- 0x30 < 10 }
  var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }
  var isASCIIAlphanumeric: Bool { isASCIIDigit || isASCIILetter }
  var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

  /// The value of a hexadecimal digit.
  var hexDigit: UInt32? {
    if isASCIIDigit { return UInt32(self - 0x30) }
    let letter = (self | 0x20) &- 0x61
    return letter < 6 ? UInt32(letter) + 10 : nil
  }
}

extension [UInt8] {
  /// Whether `word` stands at `index`.
  func has(_ word: StaticString, at index: Int) -> Bool {
    let count = word.utf8CodeUnitCount
    guard index >= 0, index + count <= self.count else { return false }
    for offset in 0..<count where self[index + offset] != word.utf8Start[offset] { return false }
    return true
  }

  /// Whether `word`, given in small letters, stands at `index` in any case.
  func hasIgnoringCase(_ word: StaticString, at index: Int) -> Bool {
    let count = word.utf8CodeUnitCount
    guard index >= 0, index + count <= self.count else { return false }
    for offset in 0..<count
    where self[index + offset].asciiLowercased != word.utf8Start[offset] { return false }
    return true
  }

  /// Where `word` first stands from `start` on, before `end`.
  func firstIndex(of word: StaticString, from start: Int, to end: Int? = nil) -> Int? {
    let limit = Swift.min(end ?? count, count) - word.utf8CodeUnitCount + 1
    var index = start
    while let found = place(of: word.utf8Start[0], from: index, to: limit) {
      if has(word, at: found) { return found }
      index = found + 1
    }
    return nil
  }

  /// Where a byte first stands from `start` on, before `end`; by the C library, which is fastest.
  func place(of byte: UInt8, from start: Int, to end: Int) -> Int? {
    guard start >= 0, start < end, end <= count else { return nil }
    return withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress,
        let found = memchr(base + start, Int32(byte), end - start)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }

  mutating func append(_ bytes: [UInt8]) { append(contentsOf: bytes) }

  mutating func append(_ word: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }

  /// Appends a scalar in UTF-8; a value that is no scalar becomes U+FFFD.
  mutating func append(scalar value: UInt32) {
    let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
    append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  /// Appends a part of another array in one piece.
  mutating func append(_ range: Range<Int>, of other: [UInt8]) {
    other.withUnsafeBufferPointer { bytes in
      append(contentsOf: UnsafeBufferPointer(rebasing: bytes[range]))
    }
  }
}

extension String {
  /// The text of bytes that are UTF-8 already; what is not is replaced.
  init(utf8 bytes: some Collection<UInt8>) { self.init(decoding: bytes, as: UTF8.self) }

  /// The text without white space around it.
  var trimmed: String {
    let bytes = utf8
    guard let first = bytes.firstIndex(where: { !$0.isASCIISpace }) else { return "" }
    let last = bytes.lastIndex { !$0.isASCIISpace } ?? first
    return String(self[first...last])
  }

  /// The text, or nil if it is empty.
  var nonEmpty: String? { isEmpty ? nil : self }
}
