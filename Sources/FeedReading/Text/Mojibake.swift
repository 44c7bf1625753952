/// Undoes what happens when UTF-8 was taken for Windows-1252 and written as UTF-8 once more: `â€™`.
enum Mojibake {
  /// The text as it was meant, or nil if it was not damaged so.
  ///
  /// It was when all its characters outside ASCII are of Windows-1252, and the bytes that they were
  /// there are UTF-8, which no text in any language is by accident.
  static func mended(_ text: [UInt8]) -> [UInt8]? {
    guard looksDamaged(text) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    for scalar in String(utf8: text).unicodeScalars {
      guard let byte = byte(of: scalar.value) else { return nil }
      bytes.append(byte)
    }
    let form = UTF8Form(bytes)
    return form.isValid && form.valid > 0 ? bytes : nil
  }

  /// Whether an `Ã`, `Â` or `â` has another character outside ASCII behind it.
  private static func looksDamaged(_ text: [UInt8]) -> Bool {
    var start = 0
    while let index = text.place(of: 0xC3, from: start, to: text.count - 2) {
      let second = text[index + 1]
      if text[index + 2] >= 0xC2, second == 0x83 || second == 0x82 || second == 0xA2 { return true }
      start = index + 1
    }
    return false
  }

  private static func byte(of scalar: UInt32) -> UInt8? {
    if scalar < 0x80 || 0xA0..<0x100 ~= scalar { return UInt8(scalar) }
    return upper[scalar] ?? (scalar < 0xA0 ? UInt8(scalar) : nil)
  }

  private static let upper = Dictionary(
    (UInt8(0x80)..<0xA0).map { (Windows1252.scalar($0), $0) },
    uniquingKeysWith: { first, _ in first })
}
