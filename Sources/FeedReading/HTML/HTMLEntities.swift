/// The characters that references such as `&eacute;` and `&#233;` stand for.
enum HTMLEntities {
  /// One or two scalars, and whether the name is understood without its semicolon.
  struct Meaning: Sendable {
    let first: UInt32
    let second: UInt32
    let isLegacy: Bool
  }

  private static let parsed: [(String, Meaning)] = HTMLEntityNames.words
    .split(whereSeparator: { $0 == " " || $0 == "\n" }).compactMap { word in
      let isLegacy = word.hasPrefix("!")
      let parts = word.drop { $0 == "!" }.split(separator: "=")
      guard parts.count == 2 else { return nil }
      let scalars = parts[1].split(separator: ",").compactMap { UInt32($0, radix: 16) }
      let second = scalars.count > 1 ? scalars[1] : 0
      return (
        String(parts[0]), Meaning(first: scalars[0], second: second, isLegacy: isLegacy)
      )
    }
  private static let table = NameTable(parsed)
  private static let longNames = Dictionary(
    parsed.filter { $0.0.utf8.count > PackedName.maximumBytes },
    uniquingKeysWith: { first, _ in first })
  static let maximumNameBytes = 32

  /// What a name means, which is given without `&` and `;`.
  static func meaning(of name: ArraySlice<UInt8>) -> Meaning? {
    guard name.count <= maximumNameBytes else { return nil }
    if let packed = PackedName(name) { return table[packed] }
    return longNames[String(utf8: name)]
  }

  /// The longest beginning of `name` that is understood without a semicolon, as old pages have it.
  static func legacyPrefix(of name: ArraySlice<UInt8>) -> (meaning: Meaning, count: Int)? {
    var count = min(name.count, 6)
    while count >= 2 {
      if let meaning = meaning(of: name.prefix(count)), meaning.isLegacy { return (meaning, count) }
      count -= 1
    }
    return nil
  }

  /// The scalar that a number stands for, as HTML understands it: 128–159 are of Windows-1252.
  ///
  /// 0 for what cannot stand in a text.
  static func scalar(ofNumber number: UInt32) -> UInt32 {
    if 0x80..<0xA0 ~= number { return Windows1252.scalar(UInt8(number)) }
    if number == 9 || number == 10 || number == 13 { return number }
    let isAllowed = number >= 0x20 && Unicode.Scalar(number) != nil && number & 0xFFFE != 0xFFFE
    return isAllowed ? number : 0
  }
}

/// A reference such as `&eacute;`, `&#233;` or `&#xE9;`, as it stands in a text.
struct CharacterReference {
  private(set) var scalar: UInt32 = 0
  private(set) var second: UInt32 = 0
  /// How many bytes it takes, the ampersand included.
  private(set) var count = 0

  /// Reads the reference at `start`, which is an ampersand; nil if it is none.
  ///
  /// - parameter isAttribute: there a name without semicolon before a letter, digit or `=` is none,
  ///   since `?a=1&copy=2` is meant as it stands.
  init?(
    in text: [UInt8], at start: Int, end: Int, isAttribute: Bool = false, allowsLegacy: Bool = true
  ) {
    guard start + 1 < end else { return nil }
    if text[start + 1] == ASCII.hash {
      guard readNumber(in: text, at: start, end: end) else { return nil }
      return
    }
    var index = start + 1
    let limit = min(end, start + 1 + HTMLEntities.maximumNameBytes)
    while index < limit, text[index].isASCIIAlphanumeric { index += 1 }
    let name = text[start + 1..<index]
    if index < end, text[index] == ASCII.semicolon, let known = HTMLEntities.meaning(of: name) {
      (scalar, second, count) = (known.first, known.second, index + 1 - start)
      return
    }
    guard allowsLegacy, let (known, length) = HTMLEntities.legacyPrefix(of: name) else {
      return nil
    }
    let after = start + 1 + length
    if isAttribute, after < end, text[after].isASCIIAlphanumeric || text[after] == ASCII.equals {
      return nil
    }
    (scalar, second, count) = (known.first, known.second, length + 1)
  }

  private mutating func readNumber(in text: [UInt8], at start: Int, end: Int) -> Bool {
    var index = start + 2
    let isHex = index < end && text[index] | 0x20 == UInt8(ascii: "x")
    if isHex { index += 1 }
    let first = index
    var number: UInt32 = 0
    while index < end, let digit = text[index].hexDigit, isHex || digit < 10 {
      // Saturates, so that any number of digits is read and none overflows.
      if number <= 0x10FFFF { number = number * (isHex ? 16 : 10) + digit }
      index += 1
    }
    guard index > first else { return false }
    if index < end, text[index] == ASCII.semicolon { index += 1 }
    (scalar, count) = (HTMLEntities.scalar(ofNumber: number), index - start)
    return true
  }
}
