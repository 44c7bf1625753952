import CanonicalJSON
import TestSupport
import Testing

@Suite struct MergePatchTests {
  /// Every line of <https://www.rfc-editor.org/rfc/rfc7396#appendix-A>.
  @Test(arguments: [
    (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
    (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
    (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
    (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
    (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
    (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
    (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
    (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
    (#"{"a":"foo"}"#, #"null"#, #"null"#),
    (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
    (#"{"e":null}"#, #"{"a":1}"#, #"{"a":1,"e":null}"#),
    (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
    (#"{}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
  ])
  func theExamplesOfTheRFCHold(target: String, patch: String, result: String) throws {
    #expect(try parse(target).mergePatched(with: parse(patch)).canonical == result)
  }

  /// The example of <https://www.rfc-editor.org/rfc/rfc7396#section-3>.
  @Test func theLongExampleOfTheRFCHolds() throws {
    let target = """
      {"title": "Goodbye!", "author": {"givenName": "John", "familyName": "Doe"},
       "tags": ["example", "sample"], "content": "This will be unchanged"}
      """
    let patch = """
      {"title": "Hello!", "phoneNumber": "+01-123-456-7890", "author": {"familyName": null},
       "tags": ["example"]}
      """
    let result = """
      {"author":{"givenName":"John"},"content":"This will be unchanged",\
      "phoneNumber":"+01-123-456-7890","tags":["example"],"title":"Hello!"}
      """
    #expect(try parse(target).mergePatched(with: parse(patch)).canonical == result)
  }

  @Test func nullsInsideArraysStay() throws {
    let patch = try parse(#"{"a":[null,{"b":null}]}"#)
    #expect(JSON.null.mergePatched(with: patch) == patch)
  }

  @Test func anEmptyPatchOfAnObjectChangesNothing() throws {
    let target = try parse(#"{"a":null,"b":{"c":[null]}}"#)
    #expect(target.mergePatched(with: .object(JSONObject())) == target)
  }

  @Test func patchingAgreesWithTheTextOfTheRFC() {
    var generator = SeededGenerator.announced(for: "patchingAgreesWithTheTextOfTheRFC")
    for _ in 0..<1_000 {
      let target = JSON.object(generator.smallObject(depth: 3))
      let patch = JSON.object(generator.smallObject(depth: 3))
      #expect(target.mergePatched(with: patch) == specified(target, patch))
    }
  }

  /// The pseudocode of <https://www.rfc-editor.org/rfc/rfc7396#section-2>, member by member.
  private func specified(_ target: JSON, _ patch: JSON) -> JSON {
    guard case .object(let changes) = patch else { return patch }
    var result = JSONObject()
    if case .object(let object) = target { result = object }
    for (key, change) in changes.members {
      result[key] = change == .null ? nil : specified(result[key] ?? .null, change)
    }
    return .object(result)
  }
}

extension SeededGenerator {
  /// An object with few different keys, so that a patch meets its target.
  fileprivate mutating func smallObject(depth: Int) -> JSONObject {
    var object = JSONObject()
    for key in ["a", "b", "c", "d"] as [ByteString] {
      switch Int.random(in: 0..<5, using: &self) {
      case 0: object[key] = JSON.null
      case 1: object[key] = JSON.integer(Int64.random(in: 0..<9, using: &self))
      case 2, 3: if depth > 0 { object[key] = JSON.object(smallObject(depth: depth - 1)) }
      default: break
      }
    }
    return object
  }
}
