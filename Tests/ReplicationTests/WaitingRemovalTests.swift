import Replication
import Testing

/// Rule 7: removals of what may not be claimed yet.
@Suite struct WaitingRemovalTests {
  /// Device 2 has an edit by device 1, and not what that had seen of device 0.
  private func unclosed(_ first: String, _ second: String) throws -> Writers {
    var writers = Writers(3)
    try writers.put(0, "{}")
    writers.deliverEverything()
    try writers.put(0, first)
    writers.deliver(from: 0, to: 1)
    try writers.put(1, second)
    writers.deliver(from: 1, to: 2)
    return writers
  }

  @Test func aDeleteOfWhatIsNotClosedHidesAtOnceAndIsPublishedLater() throws {
    var writers = try unclosed(#"{"a":1}"#, #"{"a":1,"b":1}"#)
    #expect(writers.body(2) == #"{"b":1}"#)
    try writers.delete(2)
    #expect(writers.body(2) == nil)
    #expect(writers.devices[2].written.isEmpty)
    writers.deliver(from: 0, to: 2)
    #expect(writers.devices[2].written.map(\.operations.count) == [1])
    writers.deliverEverything()
    for device in 0..<3 {
      #expect(writers.body(device) == nil)
      #expect(writers.conflicts(device) == 0)
    }
  }

  @Test func aWriteAfterADeleteThatWaitsDoesNotUndoIt() throws {
    var writers = try unclosed(#"{"a":1}"#, #"{"a":1,"b":1}"#)
    try writers.delete(2)
    try writers.put(2, #"{"d":1}"#)
    #expect(writers.body(2) == #"{"d":1}"#)
    #expect(writers.conflicts(2) == 0)
    writers.deliverEverything()
    #expect(writers.body(0)?.contains("b") == false)
    #expect(writers.body(0)?.contains(#""d":1"#) == true)
    for device in 0..<3 { #expect(writers.conflicts(device) == 0) }
  }

  @Test func aCountBesideAnUndoneDeleteGoesOnFromWhatShows() throws {
    var writers = Writers(4)
    try writers.put(0, #"{"b":1}"#)
    writers.deliver(from: 0, to: 1)
    try writers.write(1, .add(3, "/n"))
    try writers.delete(1)
    try writers.put(2, #"{"c":2}"#)
    // Not what the first of them had seen, so that it may not be claimed.
    writers.deliver(from: 1, to: 3)
    writers.deliver(from: 2, to: 3)
    // What is counted in a document whose insert is not here does not show.
    #expect(writers.body(3) == #"{"c":2}"#)
    try writers.write(3, .add(1, "/n"))
    #expect(writers.body(3) == #"{"c":2,"n":1}"#)
    #expect(writers.state(3).pending.isEmpty)
    writers.deliverEverything()
    for device in 0..<4 { #expect(writers.body(device)?.contains(#""n":4"#) == true) }
  }

  @Test func aDeleteCoversWhatItsOwnTransactionWrote() throws {
    var writers = Writers(2)
    try writers.write(0, .put(#"{"a":1}"#), .delete)
    #expect(writers.body(0) == nil)
    #expect(writers.state(0).pending.isEmpty)
    writers.deliverEverything()
    #expect(writers.body(1) == nil)
    #expect(writers.conflicts(1) == 0)
  }

  @Test func aDeleteThatWaitsTakesAwayWhatItsOwnTransactionWrote() throws {
    var writers = try unclosed(#"{"a":1}"#, #"{"a":1,"b":1}"#)
    try writers.write(2, .patch(#"{"c":1}"#), .delete)
    #expect(writers.body(2) == nil)
    #expect(writers.state(2).pending.count == 1)
    writers.deliverEverything()
    for device in 0..<3 { #expect(writers.body(device) == nil) }
  }

  @Test func aWriteAfterADeleteThatWaitsInOneTransactionStays() throws {
    var writers = try unclosed(#"{"a":1}"#, #"{"a":1,"b":1}"#)
    try writers.write(2, .patch(#"{"c":1}"#), .delete, .put(#"{"d":1}"#))
    #expect(writers.body(2) == #"{"d":1}"#)
    writers.deliverEverything()
    for device in 0..<3 { #expect(writers.body(device)?.contains(#""d":1"#) == true) }
    #expect(writers.body(0)?.contains("c") == false)
    #expect(writers.body(0)?.contains("b") == false)
  }

  @Test func aWriteOnAReadFromBeforeADeleteThatWaitsIsStaleWhereAnEditUndoesThat() throws {
    var writers = try unclosed(#"{"a":1}"#, #"{"a":1,"b":1}"#)
    let before = try writers.token(2)
    try writers.delete(2)
    try writers.put(1, #"{"a":1,"b":1,"c":1}"#)
    writers.deliver(from: 1, to: 2)
    #expect(writers.body(2) == #"{"b":1,"c":1}"#)
    #expect(try writers.outcome(2, put: #"{"d":1}"#, token: before) == .stale)
    let after = try writers.token(2)
    #expect(try writers.outcome(2, put: #"{"d":1}"#, token: after) != .stale)
  }

  @Test func soItIsWhereThereIsAnEditWhoseInsertIsNotHere() throws {
    var writers = Writers(5)
    try writers.put(0, "{}")
    writers.deliver(from: 0, to: 1)
    writers.deliver(from: 0, to: 2)
    try writers.put(0, #"{"a":1}"#)
    writers.deliver(from: 0, to: 1)
    try writers.put(1, #"{"a":1,"b":1}"#)
    writers.deliver(from: 1, to: 2)
    try writers.put(3, #"{"x":1}"#)
    writers.deliver(from: 3, to: 4)
    try writers.write(4, .patch(#"{"x":2}"#))
    writers.deliver(from: 4, to: 2)
    let before = try writers.token(2)
    try writers.delete(2)
    try writers.put(1, #"{"a":1,"b":1,"c":1}"#)
    writers.deliver(from: 1, to: 2)
    #expect(try writers.outcome(2, put: #"{"d":1}"#, token: before) == .stale)
  }

  @Test func soItIsWhereWhatTheReaderKnewOfByHearsayHasGoneOn() throws {
    var writers = try unclosed(#"{"a":1}"#, #"{"a":1,"b":1}"#)
    let before = try writers.token(2)
    try writers.put(0, #"{"a":2}"#)
    writers.deliver(from: 0, to: 1)
    try writers.put(1, #"{"a":2,"b":2}"#)
    writers.deliver(from: 1, to: 2)
    try writers.delete(2)
    try writers.put(1, #"{"a":2,"b":2,"c":1}"#)
    writers.deliver(from: 1, to: 2)
    #expect(try writers.outcome(2, put: #"{"d":1}"#, token: before) == .stale)
  }

  @Test func aWriteOnAReadLeavesWhatItsReaderKnewOfByHearsayOnly() throws {
    var writers = Writers(4)
    try writers.put(0, #"{"m":0}"#)
    writers.deliverEverything()
    try writers.write(1, .patch(#"{"m":1}"#))
    writers.deliver(from: 1, to: 3)
    try writers.writeElsewhere(3)
    writers.deliver(from: 3, to: 2)
    #expect(writers.body(2) == #"{"m":0}"#)
    let token = try writers.token(2)
    writers.deliver(from: 1, to: 2)
    try writers.write(2, .put("{}", token))
    writers.deliverEverything()
    for device in 0..<4 { #expect(writers.body(device) == #"{"m":1}"#) }
  }

  @Test func aSecondDeletionLeavesTheFirstADeletion() throws {
    var writers = try unclosed(#"{"a":1}"#, #"{"a":1,"b":1}"#)
    try writers.delete(2)
    try writers.write(1, .patch(#"{"c":1}"#))
    writers.deliver(from: 1, to: 2)
    #expect(writers.body(2) == #"{"b":1,"c":1}"#)
    try writers.delete(2)
    #expect(writers.body(2) == nil)
    try writers.write(1, .patch(#"{"d":1}"#))
    writers.deliverEverything()
    for device in 0..<3 {
      #expect(writers.body(device) == #"{"a":1,"b":1,"c":1,"d":1}"#)
      #expect(writers.conflicts(device) == 1)
    }
  }

  @Test func aDeletionThatWaitsDoesNotMeanWhatItsAuthorDidNotSee() throws {
    // Device 2 knows by device 3 that somebody edited a document, in which it sees another one.
    var writers = Writers(6)
    try writers.put(0, #"{"a":0}"#)
    writers.deliver(from: 0, to: 1)
    try writers.write(1, .patch(#"{"m":1}"#))
    writers.deliver(from: 0, to: 3)
    writers.deliver(from: 1, to: 3)
    try writers.writeElsewhere(3)
    try writers.put(4, #"{"c":4}"#)
    writers.deliver(from: 4, to: 5)
    try writers.put(2, #"{"b":2}"#)
    writers.deliver(from: 2, to: 5)
    try writers.write(5, .patch(#"{"d":5}"#))
    writers.deliver(from: 5, to: 2)
    writers.deliver(from: 3, to: 2)
    try writers.delete(2)
    #expect(!writers.state(2).pending.isEmpty)
    writers.deliver(from: 1, to: 2)
    #expect(writers.conflicts(2) == 1)
    writers.deliverEverything()
    for device in 0..<6 {
      #expect(writers.body(device)?.contains(#""a":0"#) == true)
      #expect(writers.body(device)?.contains(#""m":1"#) == true)
    }
  }

  @Test func aPatchDoesNotHideWhatItDoesNotNameWhereThatIsNotClosed() throws {
    var writers = Writers(3)
    try writers.put(0, "{}")
    writers.deliverEverything()
    try writers.put(0, #"{"b":1}"#)
    writers.deliver(from: 0, to: 1)
    try writers.write(1, .patch(#"{"a":{"k":1}}"#))
    // The later scalar hides an object that may not be claimed yet.
    try writers.put(2, #"{"a":2}"#)
    writers.deliver(from: 1, to: 2)
    #expect(writers.body(2) == #"{"a":2}"#)
    try writers.write(2, .patch(#"{"z":1}"#))
    #expect(writers.state(2).pending.isEmpty)
    #expect(writers.conflicts(2) == 1)
    writers.deliverEverything()
    for device in 0..<3 {
      #expect(writers.body(device) == #"{"a":2,"b":1,"z":1}"#)
      #expect(writers.conflicts(device) == 1)
    }
  }

  @Test func aRemovalOnAnOldReadClaimsAClosedContextThoughWhatItSawHasClosedSince() throws {
    var writers = try unclosed(#"{"a":1}"#, #"{"a":1,"b":1}"#)
    let token = try writers.token(2)
    writers.deliver(from: 0, to: 2)
    try writers.write(2, .put("{}", token))
    writers.deliver(from: 0, to: 2)
    for transaction in writers.devices[2].written {
      let seen = transaction.header.context
      let hasSecond = seen.contains(stream: writers.devices[1].stream, sequence: 1)
      #expect(!hasSecond || seen.contains(stream: writers.devices[0].stream, sequence: 2))
    }
    #expect(writers.devices[2].written.isEmpty == false || !writers.state(2).pending.isEmpty)
  }

  @Test func aWriteOnAnEarlierReadLeavesWhatItsReaderHadOnlyHeardOf() throws {
    var writers = Writers(5)
    try writers.put(0, #"{"m":{}}"#)
    writers.deliverEverything()
    try writers.put(0, #"{"m":{"k":"heard"}}"#)
    writers.deliver(from: 0, to: 1)
    try writers.write(1, .patch(#"{"z":1}"#))
    try writers.writeElsewhere(2)
    writers.deliver(from: 2, to: 3)
    try writers.write(3, .patch(#"{"m":{"k":"seen"}}"#))
    writers.deliver(from: 1, to: 4)
    writers.deliver(from: 3, to: 4)
    #expect(writers.body(4) == #"{"m":{"k":"seen"},"z":1}"#)
    let token = try writers.token(4)
    // What is taken away has closed since; what was heard of has not even arrived.
    writers.deliver(from: 2, to: 4)
    try writers.write(4, .put(#"{"z":1}"#, token))
    writers.deliverEverything()
    for device in 0..<5 { #expect(writers.body(device) == #"{"m":{"k":"heard"},"z":1}"#) }
  }

  @Test func aRemovalAtOnePathLeavesWhatLedUpToWhatAnotherTakesAway() throws {
    var writers = Writers(4)
    try writers.put(0, #"{"x":{},"y":{}}"#)
    writers.deliverEverything()
    // Who wrote y had seen an x that the one who removes both has not.
    try writers.write(0, .patch(#"{"x":{"k":"unseen"}}"#))
    writers.deliver(from: 0, to: 1)
    try writers.write(1, .patch(#"{"y":{"k":1}}"#))
    try writers.writeElsewhere(2)
    try writers.write(2, .patch(#"{"x":{"k":"seen"}}"#))
    writers.deliver(from: 1, to: 3)
    writers.deliver(from: 2, to: 3)
    #expect(writers.body(3) == #"{"x":{"k":"seen"},"y":{"k":1}}"#)
    try writers.put(3, "{}")
    writers.deliverEverything()
    for device in 0..<4 { #expect(writers.body(device) == #"{"x":{"k":"unseen"}}"#) }
  }

  @Test func aSettledDeletionLeavesWhatItsAuthorHadOnlyHeardOf() throws {
    var writers = Writers(4)
    try writers.put(0, #"{"a":0}"#)
    writers.deliverEverything()
    try writers.delete(3)
    try writers.write(1, .patch(#"{"z":1}"#))
    writers.deliver(from: 1, to: 0)
    try writers.write(0, .patch(#"{"a":1}"#))
    try writers.write(1, .patch(#"{"b":5}"#))
    writers.deliver(from: 1, to: 0)
    try writers.writeElsewhere(0)
    writers.deliver(from: 0, to: 2)
    writers.deliver(from: 3, to: 2)
    try writers.write(2, .settle(nil))
    #expect(writers.body(2) == nil)
    writers.deliverEverything()
    for device in 0..<4 { #expect(writers.body(device)?.contains(#""b":5"#) == true) }
  }

  @Test func soItDoesWhereTheTokenNotesManyTogether() throws {
    var writers = Writers(4)
    try writers.put(0, #"{"m":{}}"#)
    writers.deliverEverything()
    try writers.writeElsewhere(0)
    writers.deliver(from: 0, to: 1)
    for number in 0..<100 { try writers.write(1, .patch(#"{"m":{"k\#(number)":1}}"#)) }
    writers.deliver(from: 1, to: 2)
    let token = try writers.token(2)
    #expect(token.grounds.count == 1)
    try writers.write(0, .patch(#"{"m":{"k7":"unseen"}}"#))
    writers.deliver(from: 0, to: 2)
    try writers.write(2, .put("{}", token))
    writers.deliverEverything()
    for device in 0..<4 { #expect(writers.body(device) == #"{"m":{"k7":"unseen"}}"#) }
  }

  /// Device 1 has an open transaction that had not seen what device 0 wrote at the same place, and
  /// got that after it.
  private static func somethingUnseen() throws -> Writers {
    var writers = Writers(4)
    try writers.put(0, #"{"x":{}}"#)
    writers.deliverEverything()
    try writers.writeElsewhere(3)
    writers.deliver(from: 3, to: 1)
    try writers.write(1, .patch(#"{"x":{"k":"seen"}}"#))
    try writers.write(0, .patch(#"{"x":{"k":"unseen"}}"#))
    writers.deliver(from: 0, to: 1)
    return writers
  }

  /// Device 2 has many open transactions of device 1, of which the first had seen less.
  private static func manyAfterSomethingUnseen() throws -> Writers {
    var writers = try Self.somethingUnseen()
    for number in 0..<100 { try writers.write(1, .patch(#"{"m\#(number)":1}"#)) }
    writers.deliver(from: 1, to: 2)
    return writers
  }

  @Test func aTokenTellsRunsOfTransactionsApart() throws {
    var writers = try Self.manyAfterSomethingUnseen()
    let token = try writers.token(2)
    #expect(token.grounds.count == 2)
    try writers.write(2, .put("{}", token))
    writers.deliverEverything()
    for device in 0..<4 { #expect(writers.body(device) == #"{"x":{"k":"unseen"}}"#) }
  }

  @Test func itTellsAHundredOfThemApart() throws {
    var writers = try Self.somethingUnseen()
    for number in 1...100 {
      // With news, each is a run.
      try writers.write(3, .patch(#"{"z":\#(number)}"#))
      writers.deliver(from: 3, to: 1)
      try writers.write(1, .patch(#"{"m\#(number)":1}"#))
    }
    writers.deliver(from: 1, to: 2)
    let token = try writers.token(2)
    #expect(token.grounds.count == 101)
    try writers.write(2, .put("{}", token))
    writers.deliverEverything()
    for device in 0..<4 {
      #expect(writers.body(device) == #"{"x":{"k":"unseen"},"z":100}"#)
      // What was taken away has not come back beside that.
      #expect(writers.conflicts(device) == 0)
    }
  }

  @Test func removalsOfOneRunWaitTogether() throws {
    var writers = try Self.manyAfterSomethingUnseen()
    try writers.put(2, "{}")
    #expect(Set(writers.state(2).pending.map(\.seen)).count == 2)
    writers.deliverEverything()
    for device in 0..<4 { #expect(writers.body(device) == #"{"x":{"k":"unseen"}}"#) }
  }

  @Test func aRemovalDoesNotWaitForWhatIsNotUnderstoodAndComesAfterWhatItTakesAway() throws {
    let kind = OperationKind(code: 9, cover: .nothing, carriesValue: true)
    var writers = Writers(3, newer: [1])
    try writers.put(0, #"{"x":1}"#)
    writers.deliverEverything()
    try writers.writeElsewhere(0)
    writers.deliver(from: 0, to: 1)
    try writers.write(1, .patch(#"{"a":1}"#))
    try writers.write(1, .newer(kind, "/z"))
    writers.deliver(from: 1, to: 2)
    try writers.write(2, .patch(#"{"a":null}"#))
    #expect(writers.state(2).pending.count == 1)
    writers.deliver(from: 0, to: 2)
    #expect(writers.state(2).pending.isEmpty)
  }
}
