import CanonicalJSON
import Replication
import Testing

@Suite struct LeafTests {
  private static let values: [JSON] = [
    .null, .bool(false), .bool(true), .integer(0), .integer(-1), .integer(1), .integer(.max),
    .integer(.min), .unsigned(.max), .unsigned(1 << 63), .double(0), .double(-0.0), .double(1),
    .double(.leastNonzeroMagnitude), .double(.greatestFiniteMagnitude), .string(""),
    .string("é\0\u{1F600}\""),
    .array([]), .array([.integer(1), .object(["a": .null])]),
  ]

  @Test func everyValueReadsBackAndHasItsOwnBytes() throws {
    for value in Self.values {
      let leaf = try #require(Leaf(value))
      #expect(leaf.json == value)
      #expect(Leaf(validating: leaf.bytes) == leaf)
      var text: [UInt8] = []
      leaf.write(into: &text)
      #expect(text == value.canonicalBytes())
    }
    #expect(Set(Self.values.compactMap { Leaf($0) }).count == Self.values.count)
  }

  @Test func anIntegerAndADoubleOfOneValueDiffer() {
    #expect(Leaf(.integer(1)) != Leaf(.double(1)))
  }

  @Test func anObjectIsNoLeaf() {
    #expect(Leaf(.object(JSONObject())) == nil)
  }

  @Test(
    arguments: [
      [], [0, 0], [1, 1], [2, 0], [3], [3, 0x80], [3, 0x80, 0], [3, 1, 1], [4, 1],
      [4, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], [5, 0, 0],
      [5, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0], [5, 0x7F, 0xF8, 0, 0, 0, 0, 0, 1], [6, 0xFF], [7],
      [8], [255],
    ] as [[UInt8]])
  func bytesThatAreNotTheOneFormAreRefused(bytes: [UInt8]) {
    #expect(Leaf(validating: bytes) == nil)
  }

  @Test(arguments: ["[ ]", "[1, 2]", "1", "{}", "[1e0]", "[", #"["\u0061"]"#, "[] "])
  func anArrayMustBeCanonicalText(text: String) {
    #expect(Leaf(validating: [7] + Array(text.utf8)) == nil)
  }
}
