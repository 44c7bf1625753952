import CanonicalJSON
import Replication
import Testing

/// Rules 10, 11 and 13: what competes, and what a delete takes away.
@Suite struct StructureTests {
  @Test func concurrentValuesShowTheLatestAndListTheOther() throws {
    var writers = try started("{}")
    try writers.put(0, #"{"a":1}"#)
    try writers.put(1, #"{"a":2}"#)
    expect(&writers, #"{"a":2}"#, conflicts: 1)
  }

  @Test func equalConcurrentValuesAreNoConflictButOneAndOnePointZeroAre() throws {
    var writers = try started("{}")
    try writers.put(0, #"{"a":1,"b":1}"#)
    try writers.put(1, #"{"a":1,"b":1.0}"#)
    expect(&writers, #"{"a":1,"b":1.0}"#, conflicts: 1)
  }

  @Test func aLaterObjectShowsOverAScalarAndAScalarOverAnEarlierObject() throws {
    var writers = try started("{}")
    try writers.put(0, #"{"a":1,"b":{"x":1,"y":{"z":2}}}"#)
    try writers.put(1, #"{"a":{"k":2},"b":7}"#)
    expect(&writers, #"{"a":{"k":2},"b":7}"#, conflicts: 2)
  }

  @Test func anEditOfAMemberLetsTheHiddenObjectWinAgain() throws {
    var writers = try started(#"{"a":{"x":1}}"#)
    try writers.put(1, #"{"a":"s"}"#)
    try writers.put(0, #"{"a":{"x":2}}"#)
    expect(&writers, #"{"a":{"x":2}}"#, conflicts: 1)
  }

  @Test func whoSeesNoObjectAtAnAncestorClearsIt() throws {
    var writers = Writers(1)
    try writers.put(0, #"{"a":1}"#)
    try writers.write(0, .patch(#"{"a":{"b":{"c":1}},"d":{"e":1}}"#))
    let operations = writers.devices[0].written[1].operations
    #expect(operations.map(\.path.pointer) == ["/a", "/a/b", "/a/b/c", "/d", "/d/e"])
    #expect(operations.map(\.kind) == [.clear, .clear, .set, .clear, .set])
  }

  @Test func anObjectThatTwoMadeAtOnceHasTheMembersOfBoth() throws {
    var writers = try started("{}")
    try writers.put(0, #"{"a":{"x":1}}"#)
    try writers.put(1, #"{"a":{"y":2}}"#)
    expect(&writers, #"{"a":{"x":1,"y":2}}"#, conflicts: 0)
  }

  @Test func aDisputedNodeIsRewrittenWhole() throws {
    var writers = try started("{}")
    try writers.put(0, #"{"a":5}"#)
    try writers.put(1, #"{"a":{"x":1,"y":1}}"#)
    writers.deliverEverything()
    try writers.write(0, .patch(#"{"a":{"x":2}}"#))
    let operations = try #require(writers.devices[0].written.last?.operations)
    #expect(operations.map(\.path.pointer) == ["/a", "/a/x", "/a/y"])
    expect(&writers, #"{"a":{"x":2,"y":1}}"#, conflicts: 0)
  }

  @Test func anObjectWithoutAClearOfItsOwnIsWrittenWhole() throws {
    var writers = try started(#"{"a":{"x":1}}"#)
    try writers.put(0, "{}")
    try writers.put(1, #"{"a":{"x":2}}"#)
    // The edit outlives the removal of the object, but not the object's `clear`.
    expect(&writers, #"{"a":{"x":2}}"#, conflicts: 0)
    try writers.put(0, #"{"a":{"x":2}}"#)
    let operations = try #require(writers.devices[0].written.last?.operations)
    #expect(operations.map(\.kind) == [.clear, .set])
    expect(&writers, #"{"a":{"x":2}}"#, conflicts: 0)
  }

  @Test func twoInsertsOfOneDocumentAreMerged() throws {
    var writers = Writers(2)
    try writers.put(0, #"{"a":1,"b":1}"#)
    try writers.put(1, #"{"a":2,"c":1}"#)
    expect(&writers, #"{"a":2,"b":1,"c":1}"#, conflicts: 1)
  }

  @Test func childrenWithoutTheirInsertAreListedNotShown() throws {
    var writers = try started(#"{"a":1}"#)
    try writers.put(0, #"{"a":1,"b":2}"#)
    var newcomer = DocumentState()
    let edit = try #require(writers.devices[0].written.last)
    newcomer.apply(
      DocumentState.Effect(edit.operations[0]), stamp: edit.header.stamp(0),
      context: edit.header.context)
    #expect(newcomer.view().body == nil)
    #expect(newcomer.view().conflictCount == 1)
    #expect(newcomer.summary() == (false, 1))
  }

  private func started(_ text: String) throws -> Writers {
    var writers = Writers(2)
    try writers.put(0, text)
    writers.deliverEverything()
    return writers
  }
}

@Suite struct DeleteTests {
  @Test func aDeleteThatHadSeenEverythingTakesItAway() throws {
    var writers = try started()
    try writers.put(1, #"{"a":2,"b":1}"#)
    writers.deliverEverything()
    try writers.delete(0)
    expect(&writers, nil, conflicts: 0)
  }

  @Test func aConcurrentEditUndoesADelete() throws {
    var writers = try started()
    try writers.delete(0)
    try writers.put(1, #"{"a":2,"b":1}"#)
    #expect(writers.body(0) == nil)
    expect(&writers, #"{"a":2,"b":1}"#, conflicts: 1)
  }

  @Test func aConcurrentRemovalOfAMemberDoesNotUndoADelete() throws {
    var writers = try started()
    try writers.delete(0)
    try writers.put(1, #"{"a":1}"#)
    expect(&writers, nil, conflicts: 0)
  }

  @Test func anyWriteSettlesADeleteBesideAnEdit() throws {
    for settling in [Writers.Edit.put(#"{"a":2,"b":1}"#), .patch(#"{"a":3}"#)] {
      var writers = try started()
      try writers.delete(0)
      try writers.put(1, #"{"a":2,"b":1}"#)
      writers.deliverEverything()
      try writers.write(0, settling)
      let body = try #require(writers.body(0))
      expect(&writers, body, conflicts: 0)
      let kinds = writers.devices[0].written.last?.operations.map(\.kind)
      #expect(kinds == [.clear, .set, .set])
      // Nothing of the pair is left: a second delete is a delete.
      try writers.delete(1)
      expect(&writers, nil, conflicts: 0)
    }
  }

  @Test func whatAWriteCoveredDoesNotComeBackWithAnUndoneDelete() throws {
    var writers = try started()
    try writers.put(0, #"{"b":1}"#)
    try writers.delete(0)
    try writers.put(1, #"{"a":1,"b":2}"#)
    expect(&writers, #"{"b":2}"#, conflicts: 1)
  }

  @Test func aNewInsertStaysThoughAnOldEditArrivesLate() throws {
    var writers = Writers(3)
    try writers.put(0, #"{"a":1,"b":1}"#)
    writers.deliverEverything()
    try writers.delete(0)
    try writers.put(0, #"{"c":1}"#)
    writers.deliver(from: 0, to: 1)
    #expect(writers.body(1) == #"{"c":1}"#)
    try writers.put(2, #"{"a":5,"b":1}"#)
    expect(&writers, #"{"a":5,"c":1}"#, conflicts: 0)
  }

  private func started() throws -> Writers {
    var writers = Writers(2)
    try writers.put(0, #"{"a":1,"b":1}"#)
    writers.deliverEverything()
    return writers
  }
}

/// Delivers everything and looks at every device.
private func expect(
  _ writers: inout Writers, _ body: String?, conflicts: Int,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  writers.deliverEverything()
  for device in writers.devices.indices {
    #expect(writers.body(device) == body, sourceLocation: sourceLocation)
    #expect(writers.conflicts(device) == conflicts, sourceLocation: sourceLocation)
  }
}
