import CanonicalJSON
import TestSupport
import Testing

@Suite struct ObjectTests {
  @Test func membersAreSortedWhateverTheirOrderWas() {
    let object = JSONObject([("b", .integer(2)), ("a", .integer(1)), ("", .null)])
    #expect(object?.members.map(\.key) == ["", "a", "b"])
    #expect(object == ["": .null, "a": .integer(1), "b": .integer(2)])
  }

  @Test func aRepeatedKeyMakesNoObject() {
    #expect(JSONObject([("a", .null), ("b", .null), ("a", .null)]) == nil)
    #expect(JSONObject([]) == JSONObject())
  }

  @Test func assigningKeepsTheOrder() {
    var object = JSONObject()
    for key in ["m", "c", "x", "a", "z", "n"] as [ByteString] { object[key] = .string(key) }
    #expect(object.members.map(\.key) == ["a", "c", "m", "n", "x", "z"])
    object["m"] = .integer(1)
    object["a"] = nil
    object["z"] = nil
    object["nowhere"] = nil
    #expect(object == ["c": .string("c"), "m": .integer(1), "n": .string("n"), "x": .string("x")])
  }

  @Test func aNullMemberIsAMember() {
    var object: JSONObject = ["a": .null]
    #expect(object["a"] == .some(.null))
    #expect(object["b"] == nil)
    object["b"] = JSON.null
    #expect(object.members.count == 2)
  }

  @Test func objectsWithTheSameMembersHashAlike() {
    let one: JSONObject = ["a": .integer(1), "b": .double(1)]
    var other: JSONObject = ["b": .double(1)]
    other["a"] = .integer(1)
    #expect(Set([one, other]).count == 1)
    #expect(one != ["a": .integer(1), "b": .integer(1)])
    #expect(one != ["a": .integer(1)])
  }

  @Test func assigningAgreesWithADictionary() {
    var generator = SeededGenerator.announced(for: "assigningAgreesWithADictionary")
    var object = JSONObject()
    var model: [ByteString: JSON] = [:]
    for step in 0..<2_000 {
      let key = generator.string()
      let value: JSON? = Bool.random(using: &generator) ? .integer(Int64(step)) : nil
      object[key] = value
      model[key] = value
    }
    #expect(object.members.map(\.key) == model.keys.sorted())
    #expect(object.members.allSatisfy { model[$0.key] == $0.value && object[$0.key] == $0.value })
  }
}
