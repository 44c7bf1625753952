import CanonicalJSON
import TestSupport
import Testing

@Suite struct RoundTripTests {
  @Test func aCanonicalTextReadsBackAsItsValue() throws {
    var generator = SeededGenerator.announced(for: "aCanonicalTextReadsBackAsItsValue")
    for _ in 0..<3_000 {
      let value = generator.json(depth: 5)
      let bytes = value.canonicalBytes()
      let again = try JSON(parsing: bytes)
      #expect(again == value)
      #expect(again.hashValue == value.hashValue)
      #expect(again.canonicalBytes() == bytes)
    }
  }

  @Test func everyTextOfAValueHasTheSameCanonicalText() throws {
    var generator = SeededGenerator.announced(for: "everyTextOfAValueHasTheSameCanonicalText")
    for _ in 0..<2_000 {
      let value = generator.json(depth: 4)
      let text = generator.looseText(of: value)
      #expect(try parse(text).canonicalBytes() == value.canonicalBytes(), "\(text)")
    }
  }

  @Test func valuesAreEqualExactlyWhenTheirTextsAre() {
    var generator = SeededGenerator.announced(for: "valuesAreEqualExactlyWhenTheirTextsAre")
    let values = (0..<300).map { _ in generator.json(depth: 1) }
    let texts = values.map { $0.canonicalBytes() }
    for left in values.indices {
      for right in values.indices
      where (values[left] == values[right]) != (texts[left] == texts[right]) {
        Issue.record("\(values[left].canonical) and \(values[right].canonical)")
      }
    }
  }
}
