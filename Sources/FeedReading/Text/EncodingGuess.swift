/// Guesses the encoding of a text that does not say it.
///
/// Each encoding that is likely is tried, and the one whose text has most characters that such
/// texts consist of is taken: kana and the usual ideographs, Hangul, Cyrillic in small letters, and
/// so on.
enum EncodingGuess {
  private static let candidates = [
    "EUC-JP", "CP932", "UHC", "GB18030", "BIG5-HKSCS", "WINDOWS-1251", "KOI8-R", "WINDOWS-1255",
    "WINDOWS-1253", "WINDOWS-874", "WINDOWS-1252",
  ]
  private static let sampleBytes = 8_192

  /// The name of the likeliest encoding; nil if none is likely.
  static func guess(_ bytes: [UInt8]) -> String? {
    let sample = self.sample(of: bytes)
    guard !sample.isEmpty else { return nil }
    var best: (name: String, score: Double)?
    for name in candidates {
      guard let decoded = Encodings.decode(sample, from: name) else { continue }
      let score = score(String(utf8: decoded), name)
      if score > best?.score ?? 0 { best = (name, score) }
    }
    return best?.name
  }

  /// The text around bytes that are not ASCII, in whole lines, so that no character is cut.
  private static func sample(of bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var start = 0
    while start < bytes.count, result.count < sampleBytes {
      let end = bytes[start...].firstIndex(of: ASCII.lineFeed) ?? bytes.count
      let line = bytes[start..<end]
      if line.contains(where: { $0 >= 0x80 }) {
        result.append(contentsOf: line.prefix(sampleBytes))
      }
      start = end + 1
    }
    return result
  }

  /// How much a text, for its length, is like one in the languages of the encoding.
  private static func score(_ text: String, _ name: String) -> Double {
    var points = 0.0
    var count = 0.0
    var previous: UInt32 = 0x20
    for scalar in text.unicodeScalars {
      let value = scalar.value
      if value >= 0x80 {
        count += 1
        points += self.points(value, after: previous, name)
      } else if isLetter(value), isOtherAlphabet(previous) {
        points -= 1
      }
      previous = value
    }
    return count > 0 ? points / count : 0
  }

  private static func isLetter(_ value: UInt32) -> Bool { 0x61..<0x7B ~= value | 0x20 }

  /// Greek, Cyrillic, Hebrew and Thai, of which no word has Latin letters, too.
  private static func isOtherAlphabet(_ value: UInt32) -> Bool {
    0x0370..<0x0600 ~= value || 0x0E00..<0x0E60 ~= value
  }

  private static func points(_ value: UInt32, after previous: UInt32, _ name: String) -> Double {
    if isOtherAlphabet(value) {
      return isLetter(previous) ? -1 : alphabetPoints(value, after: previous)
    }
    switch value {
    case 0xFFFD, 0x80..<0xA0, 0xE000..<0xF900: return -3
    case 0x3040..<0x3100: return name == "EUC-JP" || name == "CP932" ? 1.3 : 0.2
    case 0xFF61..<0xFFA0: return 0.1
    case 0xAC00..<0xD7A4: return name == "UHC" ? 1.2 : 0.1
    case 0x4E00..<0xA000: return ideograph(value, name)
    case 0x3000..<0x3020, 0xFF00..<0xFF61: return 0.8
    case 0xC0..<0x100: return 0x80..<0x100 ~= previous ? 0.3 : 0.7
    case 0x2010..<0x2030: return 0.6
    default: return 0
    }
  }

  /// Capitals stand at the beginning of a word, and the final letters of Hebrew at its end.
  private static func alphabetPoints(_ value: UInt32, after previous: UInt32) -> Double {
    switch value {
    case 0x0430..<0x0450: return 1
    case 0x0410..<0x0430:
      if previous < 0x80 { return 1 }
      return 0x0430..<0x0450 ~= previous ? -0.2 : 0.5
    case 0x05D0..<0x05EB:
      return [0x05DA, 0x05DD, 0x05DF, 0x05E3, 0x05E5].contains(previous) ? -0.5 : 1.1
    case 0x03B1..<0x03CF, 0x03AC..<0x03B0: return 0.95
    case 0x0E01..<0x0E2F, 0x0E30, 0x0E32, 0x0E33, 0x0E40..<0x0E47: return 1.05
    // Marks stand on consonants only.
    case 0x0E31, 0x0E34..<0x0E3B, 0x0E47..<0x0E4F:
      return 0x0E01..<0x0E3B ~= previous || 0x0E47..<0x0E4F ~= previous ? 1.05 : -1
    case 0x0E50..<0x0E5A: return 0.2
    default: return 0
    }
  }

  /// The two levels of GB 2312, Big5 and JIS hold the usual ideographs at different places, so text
  /// in one read as another has mostly rare ones.
  private static func ideograph(_ value: UInt32, _ name: String) -> Double {
    let isUsual = usual.contains(value)
    switch name {
    case "GB18030", "BIG5-HKSCS": return isUsual ? 1.5 : 0.55
    case "UHC": return 0.2
    default: return isUsual ? 1.1 : 0.45
    }
  }

  /// The most frequent ideographs, simplified and traditional: a third of any Chinese text.
  private static let usual = Set(
    """
    的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里\
    用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实\
    日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政\
    美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员\
    解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件\
    這個們來為國說時會對過發後裡種經麼學現當動還進樣開從實軍無與長機關點業將兩間問應戰頭體見產話內給門\
    兒東聲員論處義認條氣題爾別變總電數報結務場希望容易翻譯文助改善您閱讀本
    """.unicodeScalars.map(\.value))
}
