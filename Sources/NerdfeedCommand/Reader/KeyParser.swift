/// A key that was pressed.
enum Key: Equatable, Sendable {
  case character(Character)
  case enter
  case escape
  case backspace
  case up
  case down
  case left
  case right
  case pageUp
  case pageDown
  case home
  case end
  /// A letter with the control key.
  case control(Character)
}

/// Makes keys of the bytes that a terminal sends.
///
///     var parser = KeyParser()
///     parser.keys(in: [0x6A, 0x1B, 0x5B, 0x42])   // [.character("j"), .down]
///
/// What begins at the end of what was read may go on in the next bytes, but for the escape key
/// alone, which is what it seems: terminals write a sequence at once.
struct KeyParser {
  private static let longestSequence = 32
  private var rest: [UInt8] = []

  mutating func keys(in bytes: [UInt8]) -> [Key] {
    let all = rest + bytes
    rest = []
    var keys: [Key] = []
    var index = 0
    while index < all.count {
      let (key, length) = Self.first(of: all[index...])
      guard length > 0 else {
        rest = Array(all[index...])
        // Whatever that is, it is no key.
        if rest.count > Self.longestSequence { rest = [] }
        break
      }
      if let key { keys.append(key) }
      index += length
    }
    return keys
  }

  /// The first key and its length; 0 if more has to come.
  private static func first(of bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int) {
    guard let byte = bytes.first else { return (nil, 0) }
    switch byte {
    case 0x1B: return escaped(bytes)
    case 0x0D, 0x0A: return (.enter, 1)
    case 0x7F, 0x08: return (.backspace, 1)
    case 0x01...0x1A:
      return (.control(Character(Unicode.Scalar(byte + 0x60))), 1)
    case 0x20...0x7E: return (.character(Character(Unicode.Scalar(byte))), 1)
    case 0xC2...0xF4:
      let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      guard bytes.count >= length else { return (nil, 0) }
      let text = String(decoding: bytes.prefix(length), as: UTF8.self)
      guard text.unicodeScalars.count == 1, let character = text.first, character != "\u{FFFD}"
      else { return (nil, 1) }
      return (.character(character), length)
    default: return (nil, 1)
    }
  }

  private static func escaped(_ bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int) {
    guard bytes.count > 1 else { return (.escape, 1) }
    let second = bytes[bytes.startIndex + 1]
    guard second == UInt8(ascii: "[") || second == UInt8(ascii: "O") else { return (.escape, 1) }
    let body = bytes.dropFirst(2)
    // A control sequence ends with the first byte of these: ECMA-48, 5.4.
    guard let end = body.firstIndex(where: { 0x40...0x7E ~= $0 }) else { return (nil, 0) }
    let length = end - bytes.startIndex + 1
    let parameters = String(decoding: body[..<end], as: UTF8.self)
    return (key(final: body[end], parameters: parameters), length)
  }

  private static func key(final: UInt8, parameters: String) -> Key? {
    switch final {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    case UInt8(ascii: "H"): .home
    case UInt8(ascii: "F"): .end
    case UInt8(ascii: "~"):
      switch parameters {
      case "1", "7": .home
      case "4", "8": .end
      case "5": .pageUp
      case "6": .pageDown
      default: nil
      }
    default: nil
    }
  }
}
