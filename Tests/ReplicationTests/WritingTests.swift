import CanonicalJSON
import Replication
import Testing

/// Rule 16: what a write is compared with, and what it claims.
@Suite struct WritingTests {
  @Test func aPutThatChangesNothingWritesNothing() throws {
    var writers = Writers(1)
    try writers.put(0, #"{"a":{"b":[1]},"c":null,"d":{}}"#)
    let same = try writers.outcome(0, put: #"{"a":{"b":[1]},"c":null,"d":{}}"#)
    #expect(same == .unchanged)
    let token = try writers.token(0)
    let sameOnRead = try writers.outcome(0, put: #"{"a":{"b":[1]},"c":null,"d":{}}"#, token: token)
    #expect(sameOnRead == .unchanged)
  }

  @Test func aPutWritesOnlyWhatDiffersFromItsBase() throws {
    var writers = Writers(1)
    try writers.put(0, #"{"a":1,"b":{"c":1,"d":1}}"#)
    try writers.put(0, #"{"a":1,"b":{"c":2}}"#)
    let operations = writers.devices[0].written[1].operations
    #expect(operations.map(\.path.pointer) == ["/b/d", "/b/c"])
    #expect(operations.map(\.kind) == [.remove, .set])
    #expect(operations.allSatisfy { $0.insert == writers.state(0).view().inserts.last?.dot })
  }

  @Test func anIntegerAndADoubleDiffer() throws {
    var writers = Writers(1)
    try writers.put(0, #"{"a":1}"#)
    try writers.put(0, #"{"a":1.0}"#)
    #expect(writers.body(0) == #"{"a":1.0}"#)
  }

  @Test func aWriteOnAnOldReadMergesWithWhatCameSince() throws {
    var writers = Writers(2)
    try writers.put(0, #"{"a":1,"b":1}"#)
    writers.deliverEverything()
    let token = try writers.token(0)
    try writers.put(1, #"{"a":2,"b":1,"c":2}"#)
    writers.deliverEverything()
    try writers.write(0, .put(#"{"a":1,"b":3}"#, token))
    writers.deliverEverything()
    for device in 0..<2 {
      #expect(writers.body(device) == #"{"a":2,"b":3,"c":2}"#)
      #expect(writers.conflicts(device) == 0)
    }
  }

  @Test func aWriteOnAnOldReadConflictsWithWhatItHadNotSeen() throws {
    var writers = Writers(2)
    try writers.put(0, #"{"a":1}"#)
    writers.deliverEverything()
    let token = try writers.token(0)
    try writers.put(1, #"{"a":2}"#)
    writers.deliverEverything()
    try writers.write(0, .put(#"{"a":3}"#, token))
    writers.deliverEverything()
    for device in 0..<2 {
      #expect(writers.body(device) == #"{"a":3}"#)
      #expect(writers.conflicts(device) == 1)
    }
  }

  @Test func aWriteOnADeletedAndRewrittenDocumentIsStale() throws {
    var writers = Writers(2)
    try writers.put(0, #"{"a":1}"#)
    writers.deliverEverything()
    let token = try writers.token(0)
    try writers.delete(1)
    try writers.put(1, #"{"a":2}"#)
    writers.deliverEverything()
    #expect(try writers.outcome(0, put: #"{"a":3}"#, token: token) == .stale)
  }

  @Test func aWriteBesideADeleteThatItsReaderHadNotSeenIsStale() throws {
    var writers = Writers(3)
    try writers.put(0, #"{"a":1}"#)
    writers.deliverEverything()
    let token = try writers.token(0)
    try writers.delete(1)
    try writers.put(2, #"{"a":2}"#)
    writers.deliverEverything()
    #expect(writers.body(0) == #"{"a":2}"#)
    #expect(try writers.outcome(0, put: #"{"a":3}"#, token: token) == .stale)
  }

  @Test func aWriteOnADocumentThatIsGoneIsANewInsertWithThePresentContext() throws {
    var writers = Writers(2)
    try writers.put(0, #"{"a":1,"b":1}"#)
    writers.deliverEverything()
    let token = try writers.token(0)
    try writers.delete(1)
    writers.deliverEverything()
    try writers.write(0, .put(#"{"b":2}"#, token))
    writers.deliverEverything()
    let transaction = try #require(writers.devices[0].written.last)
    #expect(transaction.header.context.sequence(of: writers.devices[1].stream) == 1)
    #expect(transaction.operations.map(\.kind) == [.clear, .set])
    #expect(writers.body(1) == #"{"b":2}"#)
    #expect(writers.conflicts(1) == 0)
  }

  @Test func aPathInConflictIsAlwaysWritten() throws {
    var writers = Writers(2)
    try writers.put(0, #"{"a":0,"b":0}"#)
    writers.deliverEverything()
    try writers.put(0, #"{"a":1,"b":0}"#)
    try writers.put(1, #"{"a":2,"b":0}"#)
    writers.deliverEverything()
    #expect(writers.conflicts(0) == 1)
    let shown = try #require(writers.body(0))
    let token = try writers.token(0)
    try writers.write(0, .put(shown, token))
    #expect(writers.devices[0].written.last?.operations.map(\.path.pointer) == ["/a"])
    writers.deliverEverything()
    #expect(writers.conflicts(0) == 0)
    #expect(writers.conflicts(1) == 0)
    #expect(writers.body(1) == shown)
  }

  /// `conflicts resolve` writes such a patch; it did nothing where a delete was undone.
  @Test func aPatchOfAPathInConflictIsWrittenAlsoBesideAnUndoneDelete() throws {
    var writers = Writers(2)
    try writers.put(0, #"{"a":1}"#)
    try writers.put(1, #"{"a":2,"b":2}"#)
    try writers.delete(1)
    writers.deliverEverything()
    #expect(writers.state(0).view().hasUndoneDelete)
    #expect(writers.conflicts(0) == 2)
    let shown = try #require(writers.body(0))
    try writers.write(0, .patch(#"{"a":2}"#))
    writers.deliverEverything()
    for device in 0..<2 {
      #expect(writers.body(device) == shown)
      #expect(writers.conflicts(device) == 0)
    }
  }

  /// As does one of what stands in an object that somebody took away without having seen it.
  @Test func aPatchOfAPathInConflictIsWrittenAlsoInAnObjectThatWasTakenAway() throws {
    var writers = Writers(1)
    try writers.put(0, #"{"a":{"n":0}}"#)
    let token = try writers.token(0)
    try writers.put(0, #"{"a":{"k":1}}"#)
    try writers.write(0, .put(#"{"a":{"k":2}}"#, token))
    try writers.write(0, .put("{}", token))
    #expect(writers.body(0) == #"{"a":{"k":2}}"#)
    #expect(writers.conflicts(0) == 1)
    try writers.write(0, .patch(#"{"a":{"k":2}}"#))
    #expect(writers.body(0) == #"{"a":{"k":2}}"#)
    #expect(writers.conflicts(0) == 0)
  }

  @Test func aPatchLeavesOtherConflictsAlone() throws {
    var writers = Writers(2)
    try writers.put(0, #"{"a":0,"b":0}"#)
    writers.deliverEverything()
    try writers.put(0, #"{"a":1,"b":1}"#)
    try writers.put(1, #"{"a":2,"b":2}"#)
    writers.deliverEverything()
    #expect(writers.conflicts(0) == 2)
    try writers.write(0, .patch(#"{"b":3}"#))
    writers.deliverEverything()
    #expect(writers.conflicts(1) == 1)
    #expect(writers.body(1) == #"{"a":2,"b":3}"#)
  }

  @Test func whatTheBaseShowedIsTakenAwayAlsoWhereAScalarHidesItNow() throws {
    var writers = Writers(2)
    try writers.put(0, "{}")
    writers.deliverEverything()
    try writers.put(0, #"{"a":{"k":1,"x":1}}"#)
    let token = try writers.token(0)
    try writers.put(1, #"{"b":1}"#)
    try writers.put(1, #"{"a":"s"}"#)
    writers.deliver(from: 1, to: 0)
    #expect(writers.body(0) == #"{"a":"s"}"#)
    try writers.write(0, .put(#"{"a":{"x":2}}"#, token))
    writers.deliverEverything()
    for device in 0..<2 { #expect(writers.body(device) == #"{"a":{"x":2}}"#) }
  }

  /// To work it out takes a look at all that is open, for each of thousands of documents.
  @Test func whoWritesManyDocumentsSaysOnceWhatHadBeenSeen() throws {
    var writers = Writers(1)
    try writers.put(0, #"{"a":0}"#)
    let (state, frontier) = (writers.state(0), writers.devices[0].frontier)
    var seen = frontier.seen
    seen.insert(
      Context.Entry(stream: StreamID(rawValue: 77), sequence: 3, fingerprint: .origin))
    let digest = SimulatedDevice.digest
    for document in [state, DocumentState(lineage: frontier.lineage)] {
      let outcome = try document.plan(
        writing: json(#"{"a":1}"#), frontier: frontier, seen: seen, digest: digest)
      guard case .write(let plan) = outcome else {
        Issue.record("it is \(outcome)")
        continue
      }
      #expect(plan.seen == seen)
    }
    #expect(state.planDelete(frontier: frontier, seen: seen)?.seen == seen)
    #expect(state.planDelete(frontier: frontier)?.seen == frontier.seen)
    let token = VersionToken(
      of: state.view(), in: state, frontier: frontier, seen: seen, digest: digest)
    #expect(token?.seen == seen && token?.applied == frontier.applied)
    let edit = state.plan(
      .increment(1), at: Path.root.appending("n"), frontier: frontier, seen: seen)
    guard case .write(let plan, _) = edit else {
      Issue.record("it is \(edit)")
      return
    }
    #expect(plan.seen == seen)
  }
}
