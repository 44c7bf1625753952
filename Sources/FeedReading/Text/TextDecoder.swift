/// Finds out which encoding a document is in, and turns it into UTF-8.
///
/// What the document, its server and its bytes say may contradict each other; the first that holds
/// for the bytes counts: the byte order mark, the pattern of UTF-16 and UTF-32, the server, the
/// document, UTF-8, a guess. The result is always well-formed UTF-8.
enum TextDecoder {
  static func utf8(_ bytes: [UInt8], charset: String?) -> [UInt8] {
    if let decoded = unicode(bytes) { return decoded }
    let declared = declaration(in: bytes)
    let candidates = [charset, declared].compactMap { $0 }.map { Encodings.canonical($0) }
    let form = UTF8Form(bytes)
    if form.isValid, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return form.withoutMark(bytes) }
    for name in candidates {
      if name == "UTF-8" || name == "US-ASCII" {
        if form.isValid { return form.withoutMark(bytes) }
        continue
      }
      if form.isConvincing, !Encodings.isSevenBit(name) { break }
      if name == "WINDOWS-1252" { return windows1252(bytes) }
      if let decoded = Encodings.decode(bytes, from: name) { return decoded }
    }
    if form.isValid { return form.withoutMark(bytes) }
    // Mostly UTF-8, with bytes from elsewhere pasted in, or cut: those alone are mended.
    if form.valid > form.invalid { return mended(bytes) }
    if let name = EncodingGuess.guess(bytes), let decoded = Encodings.decode(bytes, from: name) {
      return decoded
    }
    return windows1252(bytes)
  }

  /// UTF-16, UTF-32 or EBCDIC, by the mark or by where the zeros of `<` and `{` are.
  private static func unicode(_ bytes: [UInt8]) -> [UInt8]? {
    func at(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 1 }
    let start = (at(0), at(1), at(2), at(3))
    switch start {
    case (0xFF, 0xFE, 0, 0): return utf32(bytes, from: 4, isBig: false)
    case (0, 0, 0xFE, 0xFF): return utf32(bytes, from: 4, isBig: true)
    case (0xFF, 0xFE, _, _): return utf16(bytes, from: 2, isBig: false)
    case (0xFE, 0xFF, _, _): return utf16(bytes, from: 2, isBig: true)
    case (0, 0, 0, 0x01..<0x80): return utf32(bytes, from: 0, isBig: true)
    case (0x01..<0x80, 0, 0, 0): return utf32(bytes, from: 0, isBig: false)
    case (0, 0x01..<0x80, 0, _): return utf16(bytes, from: 0, isBig: true)
    case (0x01..<0x80, 0, _, 0): return utf16(bytes, from: 0, isBig: false)
    case (0x4C, 0x6F, 0xA7, 0x94): return Encodings.decode(bytes, from: "IBM037")
    default: return nil
    }
  }

  private static func utf32(_ bytes: [UInt8], from start: Int, isBig: Bool) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count / 4)
    var index = start
    while index + 3 < bytes.count {
      var value: UInt32 = 0
      for offset in 0..<4 {
        value = value << 8 | UInt32(bytes[index + (isBig ? offset : 3 - offset)])
      }
      if value != 0xFEFF { result.append(scalar: value) }
      index += 4
    }
    return result
  }

  private static func utf16(_ bytes: [UInt8], from start: Int, isBig: Bool) -> [UInt8] {
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    var index = start
    while index + 1 < bytes.count {
      let (high, low) = isBig ? (bytes[index], bytes[index + 1]) : (bytes[index + 1], bytes[index])
      units.append(UInt16(high) << 8 | UInt16(low))
      index += 2
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  private static func windows1252(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 8)
    for byte in bytes {
      if byte < 0x80 {
        result.append(byte)
      } else {
        result.append(scalar: Windows1252.scalar(byte))
      }
    }
    return result
  }

  /// UTF-8 in which each byte that is none is read as Windows-1252.
  private static func mended(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 64)
    var index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while index < bytes.count {
      let count = UTF8Form.sequence(bytes, at: index)
      if count > 0 {
        result.append(index..<index + count, of: bytes)
      } else {
        result.append(scalar: Windows1252.scalar(bytes[index]))
      }
      index += max(count, 1)
    }
    return result
  }

  /// The encoding that the XML declaration names, if the document starts with one.
  static func declaration(in bytes: [UInt8]) -> String? {
    let limit = min(bytes.count, 1_024)
    guard let start = bytes.firstIndex(of: "<?xml", from: 0, to: limit),
      let end = bytes.firstIndex(of: "?>", from: start, to: limit),
      let word = bytes.firstIndex(of: "encoding", from: start, to: end)
    else { return nil }
    let rest = bytes[(word + 8)..<end].drop { $0.isASCIISpace || $0 == ASCII.equals }
    guard let mark = rest.first, mark == ASCII.quote || mark == ASCII.apostrophe else { return nil }
    return String(utf8: rest.dropFirst().prefix { $0 != mark }).trimmed.lowercased().nonEmpty
  }
}

/// How far bytes are UTF-8.
struct UTF8Form {
  /// Sequences of several bytes that are well-formed.
  private(set) var valid = 0
  private(set) var invalid = 0

  init(_ bytes: [UInt8]) {
    var index = 0
    while index < bytes.count {
      if bytes[index] < 0x80 {
        index = Self.endOfASCII(bytes, from: index)
        continue
      }
      let count = Self.sequence(bytes, at: index)
      if count > 0 { valid += 1 } else { invalid += 1 }
      index += max(count, 1)
    }
  }

  /// Where the next byte is that is not ASCII, eight at a time.
  private static func endOfASCII(_ bytes: [UInt8], from start: Int) -> Int {
    bytes.withUnsafeBytes { raw in
      var index = start
      while index + 8 <= raw.count {
        let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if word & 0x8080_8080_8080_8080 != 0 { break }
        index += 8
      }
      while index < raw.count, raw[index] < 0x80 { index += 1 }
      return index
    }
  }

  var isValid: Bool { invalid == 0 }
  /// Text in another encoding is hardly ever UTF-8 by accident.
  var isConvincing: Bool { invalid == 0 && valid > 2 }

  func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
  }

  /// The length of the well-formed character at `index`; 0 if there is none.
  ///
  /// <https://www.unicode.org/versions/Unicode16.0.0/core-spec/chapter-3/#G27506>
  static func sequence(_ bytes: [UInt8], at index: Int) -> Int {
    let first = bytes[index]
    if first < 0x80 { return 1 }
    func next(_ offset: Int) -> UInt8 { index + offset < bytes.count ? bytes[index + offset] : 0 }
    func isTail(_ offset: Int) -> Bool { next(offset) & 0xC0 == 0x80 }
    switch first {
    case 0xC2...0xDF: return isTail(1) ? 2 : 0
    case 0xE0: return 0xA0...0xBF ~= next(1) && isTail(2) ? 3 : 0
    case 0xED: return 0x80...0x9F ~= next(1) && isTail(2) ? 3 : 0
    case 0xE1...0xEF: return isTail(1) && isTail(2) ? 3 : 0
    case 0xF0: return 0x90...0xBF ~= next(1) && isTail(2) && isTail(3) ? 4 : 0
    case 0xF1...0xF3: return isTail(1) && isTail(2) && isTail(3) ? 4 : 0
    case 0xF4: return 0x80...0x8F ~= next(1) && isTail(2) && isTail(3) ? 4 : 0
    default: return 0
    }
  }
}
