import CanonicalJSON
import TestSupport
import Testing

@Suite struct ByteStringTests {
  /// Pieces of one to four bytes, what no text has, and what has been cut off.
  private static let pieces: [[UInt8]] = [
    [0x41], [0x00], [0xC3, 0xA9], [0xE2, 0x82, 0xAC], [0xF0, 0x9F, 0x98, 0x80], [0xEF, 0xBF, 0xBF],
    [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80], [0xFF],
  ]

  @Test func bytesAreTakenIfTheyAreWellFormedText() {
    var generator = SeededGenerator.announced(for: "bytesAreTakenIfTheyAreWellFormedText")
    for _ in 0..<2_000 {
      // Mostly what may stand in a text, so that long ones are taken as well as refused.
      let bytes = (0..<generator.below(12)).flatMap { _ in
        Self.pieces[generator.below(generator.below(8) == 0 ? Self.pieces.count : 6)]
      }
      let text = String(validating: bytes, as: UTF8.self)
      #expect(ByteString(utf8: bytes)?.bytes == text.map { Array($0.utf8) })
    }
  }
}
