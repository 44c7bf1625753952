import CanonicalJSON
import Testing

/// Texts in the manner of JSONTestSuite that must be read, beside what they must become.
@Suite struct AcceptedTextTests {
  @Test(arguments: [
    ("null", "null"), ("true", "true"), ("false", "false"), ("42", "42"), (#""""#, #""""#),
    ("[]", "[]"), ("{}", "{}"), ("[ ]", "[]"), ("{ }", "{}"), (" [] ", "[]"), ("\n\r\t 1\n", "1"),
    ("[[],[[]]]", "[[],[[]]]"), ("[1,null,true,false,\"x\"]", "[1,null,true,false,\"x\"]"),
    ("[ 1 , 2 ]", "[1,2]"), ("[1\n,2]", "[1,2]"), ("[\t]", "[]"),
    (#"{"a":1}"#, #"{"a":1}"#), (#"{ "a" : 1 , "b" : [ ] }"#, #"{"a":1,"b":[]}"#),
    (#"{"":0}"#, #"{"":0}"#), (#"{"b":1,"a":2}"#, #"{"a":2,"b":1}"#),
    (#"{"a":{"b":{"c":[{}]}}}"#, #"{"a":{"b":{"c":[{}]}}}"#),
    (#"{"a\u0000b":1}"#, #"{"a\u0000b":1}"#),
    (#"{"A":1,"a":2}"#, #"{"A":1,"a":2}"#), (#"{"a":[],"a ":[]}"#, #"{"a":[],"a ":[]}"#),
  ])
  func aTextOfTheGrammarIsRead(text: String, canonical: String) throws {
    #expect(try parse(text).canonical == canonical)
  }

  @Test(arguments: [
    (#""\"\\\/""#, "\"\\/"), (#""\b\f\n\r\t""#, "\u{8}\u{C}\n\r\t"),
    (#""\u0041\u00e9""#, "A\u{E9}"),
    (#""\u00E9""#, "\u{E9}"), (#""\uD834\uDD1E""#, "\u{1D11E}"),
    (#""\ud83d\ude00x""#, "\u{1F600}x"),
    (#""\uDBFF\uDFFF""#, "\u{10FFFF}"), (#""\uD800\uDC00""#, "\u{10000}"),
    (#""\uFFFF\uFFFE""#, "\u{FFFF}\u{FFFE}"),
    (#""\uD7FF\uE000""#, "\u{D7FF}\u{E000}"),
    (#""\u0000""#, "\0"), (#""\\u0041""#, #"\u0041"#), (#""\\\"""#, #"\""#), (#""a\/b""#, "a/b"),
    ("\"\u{7F}\u{2028}\u{2029}\"", "\u{7F}\u{2028}\u{2029}"), ("\"\u{1F600}\"", "\u{1F600}"),
    ("\"\u{FEFF}\"", "\u{FEFF}"),
    (#""plain \u0061nd escaped \n mixed""#, "plain and escaped \n mixed"),
  ])
  func aStringMeansItsBytes(text: String, meaning: String) throws {
    #expect(try parse(text) == .string(ByteString(meaning)))
  }

  @Test func partOfAnArrayIsReadWithoutACopy() throws {
    let lines = Array("[1]\n[2,3]\n".utf8)
    let second = lines[4..<9]
    let value = try JSON(parsing: second.span)
    #expect(value == .array([.integer(2), .integer(3)]))
  }
}
