import CanonicalJSON
import Glibc
import TestSupport

extension SeededGenerator {
  /// A generator from `FEEDSYNC_SEED`, else from a new seed, which it prints either way.
  static func announced(for test: String) -> SeededGenerator {
    let chosen = getenv("FEEDSYNC_SEED").flatMap { UInt64(String(cString: $0)) }
    let seed = chosen ?? UInt64.random(in: .min ... .max)
    print("\(test): repeat with FEEDSYNC_SEED=\(seed)")
    return SeededGenerator(seed: seed)
  }
}

extension SeededGenerator {
  /// Any value up to `depth` levels deep, edge cases more often than chance would have them.
  mutating func json(depth: Int) -> JSON {
    switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &self) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &self))
    case 2:
      return .integer(Int64(truncatingIfNeeded: next() >> UInt64.random(in: 0..<64, using: &self)))
    case 3: return JSON(next())
    case 4: return .double(finiteDouble())
    case 5, 6: return .string(string())
    case 7:
      return .array((0..<Int.random(in: 0..<5, using: &self)).map { _ in json(depth: depth - 1) })
    default: return .object(object(depth: depth))
    }
  }

  mutating func object(depth: Int) -> JSONObject {
    var object = JSONObject()
    for _ in 0..<Int.random(in: 0..<6, using: &self) {
      object[string()] = json(depth: depth - 1)
    }
    return object
  }

  mutating func string() -> ByteString {
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0..<8, using: &self) {
      let limit: UInt32 = [0x20, 0x80, 0x80, 0x800, 0x11_0000].randomElement(using: &self) ?? 0x80
      if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &self)) {
        text.append(scalar)
      }
    }
    return ByteString(String(text))
  }

  mutating func finiteDouble() -> Double {
    let edges = [
      0, -0.0, 1, -1, 0.1, 1e16, 1e-5, 1e20, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    ]
    if Bool.random(using: &self), let edge = edges.randomElement(using: &self) { return edge }
    let value = Double(bitPattern: next())
    return value.isFinite ? value : 0.5
  }

  /// The value as JSON text with white space, shuffled members and needless escapes.
  mutating func looseText(of value: JSON) -> String {
    switch value {
    case .array(let elements):
      return "[" + elements.map { space() + looseText(of: $0) + space() }.joined(separator: ",")
        + "]"
    case .object(let object):
      let members = object.members.shuffled(using: &self).map { key, value in
        space() + looseText(of: .string(key)) + space() + ":" + space() + looseText(of: value)
      }
      return "{" + members.joined(separator: ",") + space() + "}"
    case .string(let string) where Bool.random(using: &self):
      let units = string.description.utf16.map { unit in
        let digits = String(unit, radix: 16, uppercase: Bool.random(using: &self))
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
      return "\"" + units.joined() + "\""
    default: return value.canonical
    }
  }

  private mutating func space() -> String {
    ["", "", " ", "\t", "\n", "\r\n  "].randomElement(using: &self) ?? ""
  }
}
