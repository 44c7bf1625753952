import CanonicalJSON
import Replication
import Testing

/// Sets (protocol.md 15).
@Suite struct SetTests {
  /// Two devices that both have `{"s":[1,2]}` with a set in s.
  private static func pair() throws -> Writers {
    var writers = Writers(2)
    try writers.put(0, "{}")
    try writers.write(0, .elements(adding: [2, 1], removing: [], "/s"))
    writers.deliverEverything()
    return writers
  }

  @Test func whatIsAddedAndRemovedAtOnceIsUnited() throws {
    var writers = try Self.pair()
    try writers.write(0, .elements(adding: [3], removing: [1], "/s"))
    try writers.write(1, .elements(adding: [4, 3], removing: [], "/s"))
    writers.deliverEverything()
    for device in 0...1 {
      #expect(writers.body(device) == #"{"s":[2,3,4]}"#)
      #expect(writers.conflicts(device) == 0)
    }
  }

  @Test func anAdditionWinsOverARemovalAtOnce() throws {
    var writers = try Self.pair()
    try writers.write(0, .elements(adding: [], removing: [1], "/s"))
    // Taken out and put in again, which the other had not seen.
    try writers.write(1, .elements(adding: [], removing: [1], "/s"))
    try writers.write(1, .elements(adding: [1], removing: [], "/s"))
    writers.deliverEverything()
    #expect(writers.body(0) == #"{"s":[1,2]}"#)
    #expect(writers.body(1) == #"{"s":[1,2]}"#)
  }

  @Test func elementsAreOfAnyTypeDistinctAndInTheOrderOfTheirTexts() throws {
    var writers = Writers(1)
    let elements: [JSON] = [
      "b", "a", 1, 1.0, .null, true, [1, 2], [], ["k": 1], ["k": 1], "", "\u{0}/~\u{1}",
    ]
    try writers.write(0, .elements(adding: elements, removing: [], "/s"))
    let body = #"{"s":["","\u0000/~\u0001","a","b",1,1.0,[1,2],[],null,true,{"k":1}]}"#
    #expect(writers.body(0) == body)
    try writers.put(0, #"{"s":[]}"#)
    #expect(writers.body(0) == #"{"s":[]}"#)
    #expect(
      writers.state(0).entries.map(\.effect.kind).filter(\.carriesValue) == [
        .clear, .emptySet,
      ])
  }

  @Test func aPlainArrayBecomesASet() throws {
    var writers = Writers(2)
    try writers.put(0, #"{"s":["b","a","b"]}"#)
    writers.deliverEverything()
    try writers.write(0, .elements(adding: ["c"], removing: [], "/s"))
    try writers.write(1, .elements(adding: ["d"], removing: ["a"], "/s"))
    writers.deliverEverything()
    // Both wrote the whole, so what one took away the other kept.
    #expect(writers.body(0) == #"{"s":["a","b","c","d"]}"#)
    #expect(writers.body(0) == writers.body(1))
    #expect(writers.conflicts(0) == 0)
  }

  @Test func writingAnArrayAddsAndRemovesWhatDiffers() throws {
    var writers = try Self.pair()
    try writers.put(0, #"{"s":[3,2]}"#)
    let kinds = writers.devices[0].written.last?.operations.map(\.kind)
    #expect(kinds == [.remove, .add])
    try writers.write(1, .elements(adding: [9], removing: [], "/s"))
    writers.deliverEverything()
    #expect(writers.body(1) == #"{"s":[2,3,9]}"#)
  }

  @Test func theSameElementsInAnotherOrderChangeNothing() throws {
    let writers = try Self.pair()
    #expect(try writers.outcome(0, put: #"{"s":[2,1,2]}"#) == .unchanged)
  }

  @Test func aWriteOnAnOldReadKeepsWhatItsWriterHadNotSeen() throws {
    var writers = try Self.pair()
    let token = try writers.token(0)
    try writers.write(0, .elements(adding: [7], removing: [2], "/s"))
    try writers.write(0, .put(#"{"s":[2,5]}"#, token))
    // 1 was taken out and 5 put in; 7 is new, and 2 is gone.
    #expect(writers.body(0) == #"{"s":[5,7]}"#)
    writers.deliverEverything()
    #expect(writers.body(1) == #"{"s":[5,7]}"#)
  }

  @Test func whatCannotStandInASetEndsIt() throws {
    var writers = try Self.pair()
    let long = String(repeating: "x", count: Limits.elementBytes)
    try writers.put(0, #"{"s":["\#(long)"]}"#)
    #expect(writers.state(0).entries.map(\.effect.kind).filter(\.carriesValue) == [.clear, .set])
    try writers.put(1, #"{"s":{"a":1}}"#)
    writers.deliverEverything()
    #expect(writers.conflicts(0) == 1)
    #expect(writers.body(0) == writers.body(1))
  }

  @Test func aSetAndAnObjectAtOnePathCompete() throws {
    var writers = Writers(2)
    try writers.put(0, "{}")
    writers.deliverEverything()
    try writers.put(0, #"{"s":{"1":{"deep":true}}}"#)
    try writers.write(1, .elements(adding: [1], removing: [], "/s"))
    try writers.write(1, .elements(adding: [2], removing: [], "/s"))
    writers.deliverEverything()
    #expect(writers.body(0) == #"{"s":[1,2]}"#)
    #expect(writers.conflicts(0) == 1)
    try writers.put(0, #"{"s":{"1":{"deep":false}}}"#)
    writers.deliverEverything()
    #expect(writers.body(1) == #"{"s":{"1":{"deep":false}}}"#)
    #expect(writers.conflicts(1) == 0)
  }

  @Test func elementsThatAreLeftWithoutTheirSetStillShow() throws {
    var writers = try Self.pair()
    try writers.put(0, "{}")
    try writers.write(1, .elements(adding: [3], removing: [], "/s"))
    writers.deliverEverything()
    #expect(writers.body(0) == #"{"s":[3]}"#)
    // The next edit gives it a set of its own again.
    try writers.write(0, .elements(adding: [4], removing: [], "/s"))
    writers.deliverEverything()
    #expect(writers.body(1) == #"{"s":[3,4]}"#)
    #expect(writers.state(1).entries.contains { $0.effect.kind == .emptySet })
  }

  @Test func aSetBesideADeleteComesBackWhole() throws {
    var writers = try Self.pair()
    try writers.delete(0)
    try writers.write(1, .elements(adding: [3], removing: [1], "/s"))
    writers.deliverEverything()
    #expect(writers.body(0) == #"{"s":[2,3]}"#)
    try writers.write(0, .elements(adding: [4], removing: [], "/s"))
    writers.deliverEverything()
    #expect(writers.body(1) == #"{"s":[2,3,4]}"#)
    #expect(writers.conflicts(1) == 0)
  }

  @Test(arguments: [#"{"s":"a"}"#, #"{"s":1}"#, #"{"s":{}}"#, #"{"s":null}"#])
  func whatIsNoArrayIsNotAddedTo(body: String) throws {
    var writers = Writers(1)
    try writers.put(0, body)
    let edit = Writers.Edit.elements(adding: [1], removing: [], "/s")
    guard case .refused(let path, _) = try writers.outcome(0, edit) else {
      Issue.record("it is not refused")
      return
    }
    #expect(path.pointer == "/s")
  }

  @Test func removingWhatIsNotThereWritesNothing() throws {
    let writers = try Self.pair()
    for edit in [
      Writers.Edit.elements(adding: [], removing: [5], "/s"),
      .elements(adding: [1, 2], removing: [], "/s"), .elements(adding: [], removing: [1], "/t/u"),
    ] {
      guard case .unchanged = try writers.outcome(0, edit) else {
        Issue.record("\(edit) is written")
        return
      }
    }
  }
}
