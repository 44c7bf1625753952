import CanonicalJSON
import TestSupport
import Testing

/// Damaged texts are refused or read; they never stop the program.
@Suite struct MutationTests {
  private static let sample = Array(
    #"{"a":[1,-2.5e3,true,null],"é\u00e9\ud83d\ude00":{"":"x\n"},"z":18446744073709551615}"#.utf8)

  @Test func everyChangeOfOneByteIsSurvived() throws {
    for index in Self.sample.indices {
      for byte in UInt8.min ... .max {
        var bytes = Self.sample
        bytes[index] = byte
        try survive(bytes)
      }
    }
  }

  @Test func everyInsertedByteIsSurvived() throws {
    for index in 0...Self.sample.count {
      for byte in UInt8.min ... .max {
        try survive(Self.sample[..<index] + [byte] + Self.sample[index...])
      }
    }
  }

  @Test func everyMissingStretchIsSurvived() throws {
    for start in Self.sample.indices {
      for end in start...Self.sample.count {
        try survive(Array(Self.sample[..<start] + Self.sample[end...]))
      }
    }
  }

  @Test func everyTruncationOfAnObjectIsRefused() {
    for count in Self.sample.indices {
      #expect(refusal(of: Array(Self.sample[..<count])) != nil)
    }
  }

  @Test func randomTokensAreSurvived() throws {
    var generator = SeededGenerator.announced(for: "randomTokensAreSurvived")
    let tokens = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "d800", "\\udc00", "1", "-", "0", ".", "e",
      "+",
      "true", "null", " ", "\"a\"", "\"b\":", "é",
    ]
    for _ in 0..<30_000 {
      let count = Int.random(in: 1..<12, using: &generator)
      let text = (0..<count).map { _ in tokens.randomElement(using: &generator) ?? "" }.joined()
      try survive(Array(text.utf8))
    }
  }

  /// Reads `bytes`: an error must lie inside them, and a value must read back from its own text.
  private func survive(_ bytes: [UInt8]) throws {
    let value: JSON
    do throws(JSONError) {
      value = try JSON(parsing: bytes)
    } catch {
      try #require(0...bytes.count ~= error.offset && !error.description.isEmpty)
      return
    }
    try #require(try JSON(parsing: value.canonicalBytes()) == value)
  }
}
