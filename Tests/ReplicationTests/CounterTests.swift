import CanonicalJSON
import Replication
import Testing

/// Counters (protocol.md 14).
@Suite struct CounterTests {
  /// Two devices that both have `{"n":10}` with a counter in n.
  private static func pair(_ body: String = #"{"n":9}"#) throws -> Writers {
    var writers = Writers(2)
    try writers.put(0, body)
    try writers.write(0, .add(1, "/n"))
    writers.deliverEverything()
    return writers
  }

  @Test func whatIsAddedAtOnceIsSummed() throws {
    var writers = try Self.pair()
    try writers.write(0, .add(5, "/n"))
    try writers.write(1, .add(-2, "/n"), .add(-2, "/n"))
    writers.deliverEverything()
    for device in 0...1 {
      #expect(writers.body(device) == #"{"n":11}"#)
      #expect(writers.conflicts(device) == 0)
    }
  }

  @Test func whereNothingIsItStartsWithNothing() throws {
    var writers = Writers(2)
    try writers.write(0, .add(3, "/a/b"))
    #expect(writers.body(0) == #"{"a":{"b":3}}"#)
    // Both made the document: what they counted is summed all the same.
    try writers.write(1, .add(4, "/a/b"))
    writers.deliverEverything()
    #expect(writers.body(0) == #"{"a":{"b":7}}"#)
    #expect(writers.body(1) == #"{"a":{"b":7}}"#)
    #expect(writers.conflicts(0) == 0)
  }

  @Test func twoThatMakeACounterOfOneNumberAgree() throws {
    var writers = Writers(2)
    try writers.put(0, #"{"n":5}"#)
    writers.deliverEverything()
    try writers.write(0, .add(1, "/n"))
    try writers.write(1, .add(2, "/n"))
    writers.deliverEverything()
    #expect(writers.body(0) == #"{"n":8}"#)
    #expect(writers.body(1) == #"{"n":8}"#)
    #expect(writers.conflicts(0) == 0)
  }

  @Test func anotherNumberStartsItAnewAndWhatCameMeanwhileIsAdded() throws {
    var writers = try Self.pair()
    try writers.put(0, #"{"n":100}"#)
    try writers.write(1, .add(7, "/n"))
    writers.deliverEverything()
    #expect(writers.body(0) == #"{"n":107}"#)
    #expect(writers.body(1) == #"{"n":107}"#)
    #expect(writers.conflicts(1) == 0)
  }

  @Test func differentStartsAtOnceAreAConflictThatAnIncrementSettles() throws {
    var writers = try Self.pair()
    try writers.put(0, #"{"n":100}"#)
    try writers.put(1, #"{"n":200}"#)
    writers.deliverEverything()
    #expect(writers.conflicts(0) == 1)
    #expect(writers.body(0) == #"{"n":200}"#)
    try writers.write(0, .add(1, "/n"))
    writers.deliverEverything()
    #expect(writers.body(1) == #"{"n":201}"#)
    #expect(writers.conflicts(1) == 0)
  }

  @Test func anotherValueEndsIt() throws {
    var writers = try Self.pair()
    try writers.put(0, #"{"n":"ten"}"#)
    writers.deliverEverything()
    #expect(writers.state(1).entries.allSatisfy { $0.effect.kind != .increment })
    try writers.put(1, #"{"n":3}"#)
    #expect(writers.state(1).entries.map(\.effect.kind) == [.clear, .set])
  }

  @Test func writingTheNumberThatShowsWritesNothing() throws {
    let writers = try Self.pair()
    #expect(try writers.outcome(0, put: #"{"n":10}"#) == .unchanged)
    guard case .unchanged = try writers.outcome(0, .add(0, "/n")) else {
      Issue.record("adding nothing is written")
      return
    }
  }

  @Test func aWriteOnAnOldReadStartsFromWhatItsWriterSaw() throws {
    var writers = try Self.pair()
    let token = try writers.token(0)
    try writers.write(0, .add(5, "/n"))
    try writers.write(0, .put(#"{"n":20}"#, token))
    #expect(writers.body(0) == #"{"n":25}"#)
    writers.deliverEverything()
    #expect(writers.body(1) == #"{"n":25}"#)
  }

  /// An increment that is here, and may not be claimed yet, is in the number that the user saw.
  @Test func aStartShowsAsWrittenOverWhatIsNotClosed() throws {
    var writers = Writers(3)
    try writers.put(0, #"{"n":1}"#)
    try writers.write(0, .add(1, "/n"))
    writers.deliver(from: 0, to: 1)
    writers.deliver(from: 0, to: 2)
    try writers.write(1, .add(10, "/n"))
    writers.deliver(from: 1, to: 2)
    try writers.write(2, .add(100, "/n"))
    // Device 0 has 2's increment, which had seen 1's, and not 1's itself.
    writers.deliver(from: 2, to: 0)
    #expect(writers.body(0) == #"{"n":102}"#)
    try writers.put(0, #"{"n":5}"#)
    #expect(writers.body(0) == #"{"n":5}"#)
    writers.deliverEverything()
    for device in 0...2 { #expect(writers.body(device) == #"{"n":15}"#) }
  }

  @Test func anIncrementBesideADeleteBringsTheDocumentBack() throws {
    var writers = try Self.pair()
    try writers.delete(0)
    try writers.write(1, .add(5, "/n"))
    writers.deliverEverything()
    #expect(writers.body(0) == #"{"n":15}"#)
    #expect(writers.conflicts(0) == 1)
    // Whoever writes next settles it, and the counter goes on.
    try writers.write(0, .add(1, "/n"))
    writers.deliverEverything()
    #expect(writers.body(1) == #"{"n":16}"#)
    #expect(writers.conflicts(1) == 0)
    #expect(writers.state(1).entries.map(\.effect.kind) == [.clear, .counter, .increment])
  }

  @Test func aWholeRewriteKeepsCounting() throws {
    var writers = try Self.pair(#"{"n":9,"o":{"n":1}}"#)
    try writers.write(0, .add(1, "/o/n"))
    writers.deliverEverything()
    try writers.delete(0)
    try writers.write(1, .add(1, "/o/n"))
    writers.deliverEverything()
    // The document stands beside a delete, so this writes it whole.
    try writers.write(0, .patch(#"{"x":1}"#))
    try writers.write(1, .add(1, "/o/n"))
    writers.deliverEverything()
    #expect(writers.body(0) == writers.body(1))
    let starts = writers.devices[0].written.last?.operations.filter { $0.kind == .counter }
    #expect(starts?.map(\.path.pointer) == ["/n", "/o/n"])
  }

  @Test func beyondTheRangeOfJSONItStopsAndComesBack() throws {
    var writers = Writers(2)
    try writers.put(0, #"{"n":18446744073709551615}"#)
    try writers.write(0, .add(.max, "/n"))
    #expect(writers.body(0) == #"{"n":18446744073709551615}"#)
    try writers.write(0, .add(-.max, "/n"), .add(-5, "/n"))
    #expect(writers.body(0) == #"{"n":18446744073709551610}"#)
    try writers.put(1, #"{"m":-9223372036854775808}"#)
    try writers.write(1, .add(-1, "/m"))
    #expect(writers.body(1) == #"{"m":-9223372036854775808}"#)
  }

  @Test(
    arguments: [
      #"{"n":"10"}"#, #"{"n":1.0}"#, #"{"n":null}"#, #"{"n":{}}"#, #"{"n":[1]}"#,
    ])
  func whatIsNoIntegerIsNotCountedIn(body: String) throws {
    var writers = Writers(1)
    try writers.put(0, body)
    guard case .refused(let path, _) = try writers.outcome(0, .add(1, "/n")) else {
      Issue.record("it is not refused")
      return
    }
    #expect(path.pointer == "/n")
  }

  @Test func aValueAboveIsNotTakenAway() throws {
    let writers = try Self.pair()
    guard case .refused(let path, let found) = try writers.outcome(0, .add(1, "/n/deeper")) else {
      Issue.record("it is not refused")
      return
    }
    #expect(path.pointer == "/n" && found == "a counter")
  }

  @Test func aCounterAndAValueOfAnotherKindCompete() throws {
    var writers = try Self.pair()
    try writers.write(1, .add(1, "/n"))
    try writers.put(0, #"{"n":"x"}"#)
    try writers.put(0, #"{"n":"y"}"#)
    writers.deliverEverything()
    #expect(writers.body(0) == #"{"n":"y"}"#)
    #expect(writers.conflicts(0) == 1)
    try writers.write(1, .put(#"{"n":"z"}"#))
    writers.deliverEverything()
    #expect(writers.conflicts(0) == 0)
  }

  /// Each writes the counter anew, since the document was deleted beside its edits; both come to 4.
  @Test func startsThatComeToTheSameAndHaveCountedDifferentIncrementsAreAConflict() throws {
    var writers = Writers(3)
    try writers.put(0, #"{"n":2}"#)
    try writers.write(0, .add(1, "/n"))
    writers.deliverEverything()
    try writers.delete(2)
    for device in 0...1 { try writers.write(device, .add(1, "/n")) }
    for device in 0...1 {
      writers.deliver(from: 2, to: device)
      try writers.write(device, .add(1, "/n"))
      #expect(writers.body(device) == #"{"n":5}"#)
    }
    writers.deliverEverything()
    for device in 0..<3 {
      #expect(writers.body(device) == #"{"n":6}"#)
      #expect(writers.conflicts(device) == 1)
    }
  }

  @Test func startsThatCountTheSameOrNothingAreOne() throws {
    var writers = Writers(3)
    try writers.put(0, #"{"n":2}"#)
    writers.deliverEverything()
    // Both make the number a counter.
    for device in 0...1 { try writers.write(device, .add(1, "/n")) }
    writers.deliverEverything()
    #expect(writers.body(0) == #"{"n":4}"#)
    #expect(writers.conflicts(0) == 0)
    try writers.delete(2)
    try writers.write(0, .patch(#"{"k":1}"#))
    writers.deliver(from: 0, to: 1)
    // Both write it anew, and have counted the same.
    for device in 0...1 {
      writers.deliver(from: 2, to: device)
      try writers.write(device, .add(1, "/n"))
    }
    writers.deliverEverything()
    for device in 0..<3 {
      #expect(writers.body(device) == #"{"k":1,"n":6}"#)
      #expect(writers.conflicts(device) == 0)
    }
  }

  @Test func aNumberThatTwoSetItToIsNoConflictWhateverTheyHadCounted() throws {
    var writers = try Self.pair()
    for device in 0...1 { try writers.write(device, .add(1, "/n")) }
    for device in 0...1 { try writers.write(device, .put(#"{"n":0}"#)) }
    writers.deliverEverything()
    #expect(writers.body(0) == #"{"n":0}"#)
    #expect(writers.conflicts(0) == 0)
  }

  @Test func whatIsSettledKeepsWhatWasCountedBesideEditsWhoseInsertIsNotHere() throws {
    var writers = Writers(5)
    try writers.put(0, #"{"n":0}"#)
    writers.deliver(from: 0, to: 1)
    try writers.write(1, .add(3, "/n"))
    writers.deliver(from: 1, to: 2)
    try writers.put(2, #"{"b":2}"#)
    writers.deliver(from: 2, to: 3)
    try writers.writeElsewhere(4)
    writers.deliver(from: 4, to: 3)
    try writers.write(3, .add(4, "/n"))
    writers.deliver(from: 3, to: 2)
    #expect(writers.body(2) == #"{"b":2,"n":4}"#)
    try writers.write(2, .settle(#"{"b":2,"n":4}"#))
    #expect(writers.body(2) == #"{"b":2,"n":4}"#)
    writers.deliver(from: 4, to: 2)
    #expect(writers.body(2) == #"{"b":2,"n":4}"#)
    writers.deliverEverything()
    for device in 0..<5 {
      // The insert comes beside what was settled, with a number of its own.
      #expect(writers.body(device) == writers.body(0))
    }
  }
}
