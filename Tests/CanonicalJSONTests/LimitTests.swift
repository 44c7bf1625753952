import CanonicalJSON
import Testing

@Suite struct LimitTests {
  private func nested(_ depth: Int, _ open: String, _ close: String) -> String {
    String(repeating: open, count: depth) + String(repeating: close, count: depth)
  }

  @Test func sixtyFourLevelsAreReadAndSixtyFiveRefused() throws {
    let deepest = nested(64, "[", "]")
    #expect(try parse(deepest).canonical == deepest)
    #expect(refusal(of: nested(65, "[", "]")) == JSONError(.tooDeep, at: 64))
  }

  @Test func objectsCountAsArraysDo() {
    #expect(refusal(of: nested(32, #"{"a":["#, "]}")) == nil)
    #expect(refusal(of: nested(32, #"{"a":["#, "]}").replacing("[]", with: "[[]]")) != nil)
    let objects = String(repeating: #"{"a":"#, count: 64)
    #expect(refusal(of: objects + "{}" + String(repeating: "}", count: 64))?.reason == .tooDeep)
    #expect(refusal(of: objects + "1" + String(repeating: "}", count: 64)) == nil)
  }

  @Test func neighboursDoNotAddUp() {
    #expect(refusal(of: "[" + String(repeating: "[],{},", count: 100) + "[]]") == nil)
  }

  @Test func aScalarHasNoDepth() {
    let limits = JSONLimits(maximumDepth: 0)
    #expect(refusal(of: "1", limits: limits) == nil)
    #expect(refusal(of: "[]", limits: limits) == JSONError(.tooDeep, at: 0))
  }

  @Test func aHundredThousandOpenBracketsAreRefusedWithoutFurtherReading() {
    let brackets = String(repeating: "[", count: 100_000)
    #expect(refusal(of: brackets) == JSONError(.tooDeep, at: 64))
  }

  @Test func aTextOverItsSizeIsRefused() {
    #expect(refusal(of: "[1]", limits: JSONLimits(maximumBytes: 3)) == nil)
    #expect(refusal(of: "[1] ", limits: JSONLimits(maximumBytes: 3)) == JSONError(.tooLarge, at: 3))
    #expect(
      refusal(of: "", limits: JSONLimits(maximumBytes: 0)) == JSONError(.unexpectedEnd, at: 0))
  }

  @Test func manyKeysInTheWorstOrderTakeNoQuadraticTime() throws {
    let members = (0..<100_000).reversed().map { "\"\($0)\":0" }
    let value = try parse("{" + members.joined(separator: ",") + "}")
    #expect(value.mergePatched(with: value) == value)
  }

  @Test(arguments: [
    (#"{"a":1,"a":2}"#, #"duplicate key "a" at byte 7"#),
    (#"{"\u001b[2J":1,"\u001b[2J":2}"#, #"duplicate key "\u001b[2J" at byte 15"#),
    ("[1,", "the text ends too early at byte 3"), ("01", "malformed number at byte 0"),
  ])
  func anErrorSaysWhatAndWhere(text: String, description: String) {
    #expect(refusal(of: text)?.description == description)
  }

  @Test func aLongKeyIsCutInTheMessage() {
    let key = String(repeating: "k", count: 5_000)
    let message = refusal(of: "{\"\(key)\":1,\"\(key)\":2}")?.description ?? ""
    #expect(message.count < 150)
    #expect(message.contains("…"))
  }
}
