import Glibc

/// Encodings other than Unicode's, through the system's `iconv`.
enum Encodings {
  /// The name that iconv knows, of the encoding that is meant by a name.
  ///
  /// Texts in the smaller of two related sets are nearly always in the larger: ISO-8859-1 is
  /// Windows-1252, GB2312 is GB 18030. <https://encoding.spec.whatwg.org/#names-and-labels>
  static func canonical(_ name: String) -> String {
    let small = name.trimmed.lowercased()
    if let known = names[small] { return known }
    // `windows1251`, `cp-1251`, `x-cp1251`, `win-1251`.
    let digits = small.filter(\.isNumber)
    let isWindows = small.contains("win") || small.contains("cp") || small.hasPrefix("x-")
    if isWindows, digits.count == 4, digits.hasPrefix("125") { return "WINDOWS-" + digits }
    let isSafe = small.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_.:".utf8.contains($0) }
    return isSafe && small.utf8.count <= 40 ? small.uppercased() : "UTF-8"
  }

  private static let names: [String: String] = [
    "utf-8": "UTF-8", "utf8": "UTF-8", "utf_8": "UTF-8", "u8": "UTF-8", "unicode": "UTF-8",
    "us-ascii": "US-ASCII", "ascii": "US-ASCII", "ansi_x3.4-1968": "US-ASCII", "646": "US-ASCII",
    // The bytes have been seen not to be these.
    "utf-16": "UTF-8", "utf16": "UTF-8", "utf-16le": "UTF-8", "utf-16be": "UTF-8",
    "utf-32": "UTF-8", "utf32": "UTF-8", "ucs-2": "UTF-8", "ucs-4": "UTF-8",
    "iso-8859-1": "WINDOWS-1252", "iso8859-1": "WINDOWS-1252", "iso_8859-1": "WINDOWS-1252",
    "iso-8859_1": "WINDOWS-1252", "iso88591": "WINDOWS-1252", "latin1": "WINDOWS-1252",
    "latin-1": "WINDOWS-1252", "l1": "WINDOWS-1252", "ansi": "WINDOWS-1252",
    "iso-8859-9": "WINDOWS-1254", "latin5": "WINDOWS-1254", "iso8859-9": "WINDOWS-1254",
    "iso-8859-11": "WINDOWS-874", "tis-620": "WINDOWS-874", "tis620": "WINDOWS-874",
    "windows-874": "WINDOWS-874",
    "gb2312": "GB18030", "gb_2312-80": "GB18030", "gbk": "GB18030", "x-gbk": "GB18030",
    "cp936": "GB18030", "gb18030": "GB18030", "euc-cn": "GB18030", "chinese": "GB18030",
    "big5": "BIG5-HKSCS", "big-5": "BIG5-HKSCS", "x-x-big5": "BIG5-HKSCS", "cp950": "BIG5-HKSCS",
    "shift_jis": "CP932", "shift-jis": "CP932", "sjis": "CP932", "x-sjis": "CP932",
    "ms_kanji": "CP932", "windows-31j": "CP932", "csshiftjis": "CP932", "cp932": "CP932",
    "euc-jp": "EUC-JP", "x-euc-jp": "EUC-JP", "eucjp": "EUC-JP", "ujis": "EUC-JP",
    "euc-kr": "UHC", "euckr": "UHC", "ks_c_5601-1987": "UHC", "ksc5601": "UHC", "cp949": "UHC",
    "korean": "UHC", "windows-949": "UHC",
    "koi8-r": "KOI8-R", "koi8r": "KOI8-R", "koi8": "KOI8-R", "koi8-u": "KOI8-U",
    "macintosh": "MACINTOSH", "x-mac-roman": "MACINTOSH", "mac": "MACINTOSH",
    "x-mac-cyrillic": "MAC-CYRILLIC", "ibm866": "IBM866", "cp866": "IBM866", "866": "IBM866",
    "iso-8859-8-i": "ISO-8859-8", "visual": "ISO-8859-8", "logical": "ISO-8859-8",
  ]

  /// Whether texts in it look like ASCII to who does not know better.
  static func isSevenBit(_ name: String) -> Bool {
    name.hasPrefix("ISO-2022") || name == "UTF-7" || name == "HZ"
  }

  /// The bytes in UTF-8, with U+FFFD for what the encoding does not have.
  ///
  /// Nil if the encoding is unknown, or so much is wrong that it cannot be the one.
  static func decode(_ bytes: [UInt8], from name: String) -> [UInt8]? {
    guard let converter = iconv_open("UTF-8", name), Int(bitPattern: converter) != -1 else {
      return nil
    }
    defer { iconv_close(converter) }
    var input = bytes
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count + bytes.count / 2)
    var buffer = [CChar](repeating: 0, count: 1 << 16)
    var errors = 0
    input.withUnsafeMutableBytes { raw in
      var next = raw.baseAddress?.assumingMemoryBound(to: CChar.self)
      var left = raw.count
      while left > 0 {
        let code = buffer.withUnsafeMutableBufferPointer { buffer in
          var place = buffer.baseAddress
          var room = buffer.count
          let result = iconv(converter, &next, &left, &place, &room)
          let code = Int(truncatingIfNeeded: result) == -1 ? errno : 0
          let written = UnsafeRawBufferPointer(buffer).prefix(buffer.count - room)
          output.append(contentsOf: written)
          return code
        }
        if code == EILSEQ || code == EINVAL {
          errors += 1
          output.append(scalar: 0xFFFD)
          next = next.map { $0 + 1 }
          left -= 1
        }
      }
    }
    let multibyte = bytes.reduce(into: 0) { $0 += $1 >= 0x80 ? 1 : 0 }
    guard errors * 8 <= multibyte || errors <= 1 else { return nil }
    return output
  }
}
