import CanonicalJSON
import Testing

@Suite struct CanonicalTextTests {
  @Test(
    arguments: [
      (0x08, "\\b"), (0x09, "\\t"), (0x0A, "\\n"), (0x0C, "\\f"), (0x0D, "\\r"), (0x00, "\\u0000"),
      (0x01, "\\u0001"), (0x0B, "\\u000b"), (0x0E, "\\u000e"), (0x10, "\\u0010"), (0x1B, "\\u001b"),
      (0x1F, "\\u001f"), (0x22, "\\\""), (0x5C, "\\\\"),
    ] as [(UInt8, String)])
  func whatMustBeEscapedTakesItsShortestForm(byte: UInt8, escape: String) {
    #expect(JSON.string(ByteString(unchecked: [byte])).canonical == "\"\(escape)\"")
  }

  @Test func everyControlCharacterIsEscapedAndReadsBack() throws {
    let value = JSON.string(ByteString(unchecked: Array(0...0x1F)))
    #expect(value.canonicalBytes().allSatisfy { $0 >= 0x20 })
    #expect(try JSON(parsing: value.canonicalBytes()) == value)
  }

  @Test(arguments: [
    "\u{7F}", "/", "\u{2028}", "\u{2029}", "é", "\u{1F600}", "\u{FEFF}", "\u{85}", "'", "<",
  ])
  func nothingElseIsEscaped(text: String) {
    #expect(JSON.string(ByteString(text)).canonical.utf8.elementsEqual("\"\(text)\"".utf8))
  }

  @Test func keysSortByTheirBytes() throws {
    let text =
      #"{"b":0,"é":0,"ab":0,"a":0,"B":0,"":0,"\ud83d\ude00":0,"\uffff":0,"aa":0,"a\u0000":0}"#
    let keys = ["", "B", "a", #"a\u0000"#, "aa", "ab", "b", "é", "\u{FFFF}", "\u{1F600}"]
    let canonical = "{" + keys.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
    #expect(try parse(text).canonicalBytes() == Array(canonical.utf8))
  }

  @Test func composedAndDecomposedLettersAreTwoKeys() throws {
    let value = try parse("{\"\u{E9}\":1,\"e\u{301}\":2}")
    guard case .object(let object) = value else {
      Issue.record("no object")
      return
    }
    #expect(object.members.map(\.value) == [.integer(2), .integer(1)])
    #expect(object[ByteString("\u{E9}")] == .integer(1))
    #expect(object[ByteString("e\u{301}")] == .integer(2))
    #expect(JSON.string(ByteString("\u{E9}")) != JSON.string(ByteString("e\u{301}")))
  }

  @Test func writingAppends() {
    var output = Array("x=".utf8)
    JSON.array([.null, .bool(true), .unsigned(.max)]).write(into: &output)
    JSON.writeString("a\"b\nc", into: &output)
    let part = Array("[plain]".utf8)[1..<6]
    JSON.writeString(part.span, into: &output)
    JSON.writeString("", into: &output)
    let expected = #"x=[null,true,18446744073709551615]"a\"b\nc""plain""""#
    #expect(String(decoding: output, as: UTF8.self) == expected)
  }
}
