import CanonicalJSON
import Replication
import Testing

/// Each acknowledged value that does not show is in one of the values that a conflict lists.
@Suite struct ListedConflictTests {
  private func conflicts(_ writers: Writers, _ device: Int) -> [String] {
    writers.state(device).conflicts().map { conflict in
      let values = conflict.values.map { value in
        value.content.map { String(decoding: $0, as: UTF8.self) } ?? "absent"
      }
      return "\(conflict.kind.rawValue) \(conflict.path): \(values.joined(separator: ", "))"
    }
  }

  @Test func whatCompetesInAnObjectThatLostIsListedWithIt() throws {
    var writers = Writers(4)
    try writers.put(0, #"{"a":{"b":0,"c":{}}}"#)
    writers.deliverEverything()
    try writers.write(0, .patch(#"{"a":{"b":1,"c":{"d":1}}}"#))
    try writers.write(1, .patch(#"{"a":{"b":2,"c":{"d":2}}}"#))
    try writers.put(3, #"{"a":"s"}"#)
    writers.deliverEverything()
    let expected = [
      #"structure /a: "s", {"b":2,"c":{"d":2}}, {"b":1,"c":{"d":1}}"#
    ]
    for device in 0..<4 {
      #expect(conflicts(writers, device) == expected)
      #expect(writers.conflicts(device) == 1)
    }
  }

  @Test func soItIsInADocumentWhoseInsertIsNotHere() throws {
    var writers = Writers(4)
    try writers.put(0, #"{"b":0}"#)
    for device in 1...2 {
      writers.deliver(from: 0, to: device)
      try writers.write(device, .patch(#"{"b":\#(device)}"#))
      writers.deliver(from: device, to: 3)
    }
    #expect(conflicts(writers, 3) == [#"missing-insert : absent, {"b":2}, {"b":1}"#])
  }

  @Test func whatCompetesInWhatShowsIsListedOnce() throws {
    var writers = Writers(3)
    try writers.put(0, #"{"a":{"b":0}}"#)
    writers.deliverEverything()
    try writers.put(2, #"{"a":"s"}"#)
    for device in 0...1 { try writers.write(device, .patch(#"{"a":{"b":\#(device + 1)}}"#)) }
    writers.deliverEverything()
    #expect(
      conflicts(writers, 0) == [
        #"structure /a: {"b":2}, "s""#, "value /a/b: 2, 1",
      ])
  }
}
