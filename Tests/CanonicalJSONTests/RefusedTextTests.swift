import CanonicalJSON
import Testing

/// Texts in the manner of JSONTestSuite that must be refused, with the reason and the byte.
@Suite struct RefusedTextTests {
  @Test(arguments: [
    ("", 0), (" ", 1), ("[", 1), ("{", 1), ("[1", 2), ("[1,", 3), (#"{"a""#, 4), (#"{"a":"#, 5),
    (#"{"a":1"#, 6), (#"{"a":1,"#, 7), (#"""#, 1), (#""abc"#, 4), (#""\"#, 2), (#""\u00"#, 5),
    (#""\""#, 3), ("t", 1), ("nul", 3), ("[[[", 3),
  ])
  func aTextThatEndsTooEarlyIsRefused(text: String, offset: Int) {
    #expect(refusal(of: text) == JSONError(.unexpectedEnd, at: offset))
  }

  @Test(arguments: [
    ("[1,]", 3), ("[,1]", 1), ("[1,,2]", 3), ("[1 2]", 3), ("[1:2]", 2), ("[1}", 2), ("]", 0),
    ("{]", 1), ("}", 0), (#"{"a":1,}"#, 7), (#"{,"a":1}"#, 1), (#"{"a" 1}"#, 5), (#"{"a",1}"#, 4),
    (#"{"a"::1}"#, 5), (#"{"a":1 "b":2}"#, 7), (#"{"a":}"#, 5), ("{a:1}", 1), ("{1:1}", 1),
    ("{null:1}", 1), ("{'a':1}", 1), ("['a']", 1), ("[a]", 1), ("True", 0), ("trUe", 2), ("nan", 1),
    ("NaN", 0), ("Infinity", 0), ("+1", 0), (".5", 0), ("[+1]", 1), ("[.5]", 1), ("[/**/1]", 1),
    ("//x\n1", 0), ("#", 0), ("\u{FEFF}1", 0), ("\u{FEFF}", 0), ("\u{A0}1", 0), ("\u{B}1", 0),
    ("\u{C}1", 0), ("[\u{2028}]", 1), ("\u{85}1", 0), ("\0", 0), ("[\0]", 1), ("[undefined]", 1),
    ("<null>", 0), (#"\u0031"#, 0), ("*", 0), ("[1\u{A0}]", 2),
  ])
  func aByteThatCannotStandThereIsRefused(text: String, offset: Int) {
    #expect(refusal(of: text) == JSONError(.unexpectedCharacter, at: offset))
  }

  @Test(arguments: [
    ("1 2", 2), ("[]]", 2), ("{}}", 2), ("[][]", 2), (#"{"a":1}"b""#, 7), ("nullx", 4), ("1x", 1),
    ("1,", 1), ("\"a\"b", 3), ("true false", 5), ("1\0", 1), ("{}#", 2), ("0x1F", 1), ("1_000", 1),
    ("1\u{FEFF}", 1), ("1.5f", 3), ("1.2.3", 3), ("1e5e5", 3), ("1-2", 1), ("12.3.", 4),
  ])
  func whateverFollowsTheValueIsRefused(text: String, offset: Int) {
    #expect(refusal(of: text) == JSONError(.trailingContent, at: offset))
  }

  @Test(arguments: [
    "01", "-01", "00", "00.5", "-", "--1", "-+1", "-a", "-.5", "-Infinity", "-NaN", "1.", "1.e5",
    "-1.", "1e", "1E+", "1e-", "1e+-1", "0e", "0.e1", "1.a",
  ])
  func aMalformedNumberIsRefused(text: String) {
    #expect(refusal(of: text) == JSONError(.invalidNumber, at: 0))
    #expect(refusal(of: "[7,\(text)]") == JSONError(.invalidNumber, at: 3))
  }

  @Test(arguments: [
    "-9223372036854775809", "18446744073709551616", "99999999999999999999999999",
    "-18446744073709551616", "1e309", "-1e309",
    "1e400", "1e99999999999999999999", "123.456e1000",
  ])
  func aNumberOutOfRangeIsRefused(text: String) {
    #expect(refusal(of: " " + text) == JSONError(.numberOutOfRange, at: 1))
  }

  @Test(arguments: [
    (#"{"a":1,"a":1}"#, "a", 7), (#"{"b":1,"a":1,"b":2}"#, "b", 13),
    (#"{"a":1,"\u0061":1}"#, "a", 7), (#"{ "z":[{"a":1}],"a":{"z":1} , "z":0}"#, "z", 30),
    (#"{"":1,"":1}"#, "", 6), (#"{"a":1,"a":2,"a":3}"#, "a", 7),
  ])
  func aDuplicateKeyIsRefused(text: String, key: String, offset: Int) {
    #expect(refusal(of: text) == JSONError(.duplicateKey(ByteString(key)), at: offset))
  }

  @Test func aDuplicateKeyIsFoundInsideOtherValues() {
    let text = #"[0,{"x":{"k":1,"j":2,"k":3}}]"#
    #expect(refusal(of: text) == JSONError(.duplicateKey("k"), at: 21))
  }

  @Test(arguments: [
    #"\ud800"#, #"\udbff"#, #"\udc00"#, #"\udfff"#, #"\ud800x"#, #"\ud800\n"#, #"\ud800\ud800"#,
    #"\ud800\u0041"#, #"\udc00\ud800"#, #"\ud800\ue000"#, #"\ud800\udbff"#, #"\uD800\\uDC00"#,
    #"\ud800\"#,
  ])
  func aLoneSurrogateIsRefused(escape: String) {
    #expect(refusal(of: "\"ab\(escape)\"") == JSONError(.loneSurrogate, at: 3))
  }

  @Test(arguments: [
    #"\a"#, #"\x41"#, #"\'"#, #"\0"#, #"\U0041"#, #"\u004"#, #"\u00g0"#, #"\u{41}"#, #"\u+041"#,
    #"\u 041"#, #"\é"#, "\\\n", "\\\0",
  ])
  func anEscapeThatJSONDoesNotHaveIsRefused(escape: String) {
    #expect(refusal(of: "\"a\(escape)\"") == JSONError(.invalidEscape, at: 2))
  }

  @Test(arguments: UInt8(0)...0x1F)
  func aControlCharacterInAStringIsRefused(byte: UInt8) {
    let quote = UInt8(ascii: "\"")
    #expect(refusal(of: [quote, byte, quote]) == JSONError(.controlCharacter, at: 1))
  }

  @Test(
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0xAF],
      [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE],
      [0xFF],
    ] as [[UInt8]])
  func malformedUTF8IsRefused(bytes: [UInt8]) {
    #expect(
      refusal(of: Array("\"a".utf8) + bytes + Array("\"".utf8)) == JSONError(.invalidUTF8, at: 2))
    #expect(refusal(of: Array("[]".utf8) + bytes) == JSONError(.invalidUTF8, at: 2))
  }

  @Test(
    arguments: [
      [0xFE, 0xFF, 0x00, 0x31], [0xFF, 0xFE, 0x31, 0x00], [0x31, 0x00], [0x00, 0x31],
    ] as [[UInt8]])
  func otherEncodingsAreRefused(bytes: [UInt8]) {
    #expect(refusal(of: bytes) != nil)
  }
}
