import CanonicalJSON
import Replication
import Testing

/// Kinds that only a newer version understands (protocol.md 17).
@Suite struct NewerKindTests {
  private static let envelopes = [OperationKind.Cover.nothing, .path, .document].flatMap { cover in
    [false, true].map { OperationKind(code: 12, cover: cover, carriesValue: $0) }
  }

  /// Device 0 has the newer program, device 1 does not; both have the document.
  private static func pair(_ body: String = #"{"a":{"b":1},"c":2}"#) throws -> Writers {
    var writers = Writers(2, newer: [0])
    try writers.put(0, body)
    writers.deliverEverything()
    return writers
  }

  @Test(arguments: envelopes)
  func theEnvelopeSaysWhatGoes(kind: OperationKind) throws {
    var writers = try Self.pair()
    try writers.write(0, .newer(kind, "/a"))
    writers.deliverEverything()
    let kept: String? =
      switch kind.cover {
      case .nothing: #"{"a":{"b":1},"c":2}"#
      case .path: #"{"c":2}"#
      case .document: nil
      }
    // What it shows itself is not known; all else is.
    #expect(writers.body(1) == kept)
    #expect(writers.body(1) == writers.body(0))
    #expect(writers.state(1).newerKinds == KindCodes(kind))
  }

  @Test(arguments: envelopes)
  func itIsLeftOutOfContextsUntilAnUpgrade(kind: OperationKind) throws {
    var writers = try Self.pair()
    try writers.write(0, .newer(kind, "/a"))
    try writers.write(0, .patch(#"{"x":1}"#))
    writers.deliverEverything()
    #expect(writers.devices[1].frontier.closed.sequence(of: writers.devices[0].stream) == 1)
    #expect(writers.devices[1].frontier.applied.sequence(of: writers.devices[0].stream) == 3)
    // Device 0 has written it, so its own writes claim it.
    #expect(writers.devices[0].frontier.closed.sequence(of: writers.devices[0].stream) == 3)
    writers.upgrade(1)
    #expect(writers.devices[1].frontier.closed.sequence(of: writers.devices[0].stream) == 3)
  }

  @Test func whatTheProgramUnderstandsIsNotNewer() throws {
    var writers = try Self.pair()
    let append = OperationKind(code: 9, cover: .nothing, carriesValue: true)
    try writers.write(0, .newer(append, "/a/b"))
    writers.deliverEverything()
    let state = writers.state(1)
    #expect(state.newerKinds == KindCodes(append))
    KindCodes.$understood.withValue(KindCodes.known.union(KindCodes(append))) {
      #expect(state.newerKinds.isEmpty)
      #expect(state.newerPaths().isEmpty)
    }
    #expect(state.newerPaths().map(\.pointer) == ["/a/b"])
  }

  @Test func whatIsWrittenAtAboveOrBelowIsRefusedAndOtherwiseNot() throws {
    var writers = try Self.pair()
    let append = OperationKind(code: 9, cover: .nothing, carriesValue: true)
    try writers.write(0, .newer(append, "/a/b"))
    writers.deliverEverything()
    #expect(writers.state(1).newerPaths().map(\.pointer) == ["/a/b"])
    let edits = [
      (#"{"a":{"b":5},"c":2}"#, true), (#"{"a":7,"c":2}"#, true), (#"{"c":2}"#, true),
      (#"{"a":{"b":{"d":1}},"c":2}"#, true), (#"{"a":{"b":1,"e":1},"c":2}"#, false),
      (#"{"a":{"b":1},"c":3}"#, false),
    ]
    for (body, isRefused) in edits {
      guard case .write(let plan) = try writers.outcome(1, put: body) else {
        Issue.record("\(body) writes nothing")
        continue
      }
      #expect((writers.state(1).newerPath(touchedBy: plan) != nil) == isRefused, "\(body)")
    }
    let deletion = writers.state(1).planDelete(frontier: writers.devices[1].frontier)
    #expect(deletion.map { writers.state(1).newerPath(touchedBy: $0) == nil } == true)
  }

  @Test func aDeletionOfWhatIsNotUnderstoodHidesAtOnceAndIsPublishedAfterTheUpgrade() throws {
    var writers = try Self.pair()
    let append = OperationKind(code: 9, cover: .path, carriesValue: true)
    try writers.write(0, .newer(append, "/a"))
    writers.deliverEverything()
    try writers.delete(1)
    writers.deliverEverything()
    #expect(writers.body(1) == nil)
    #expect(writers.body(0) != nil)
    #expect(writers.state(1).newerPaths().isEmpty)
    writers.upgrade(1)
    writers.deliverEverything()
    #expect(writers.body(0) == nil)
    #expect(writers.conflicts(0) == 0)
  }

  @Test func whatIsNotUnderstoodIsKeptBesideEverythingThatHadNotSeenIt() throws {
    var writers = try Self.pair()
    let append = OperationKind(code: 9, cover: .path, carriesValue: true)
    try writers.put(1, #"{"c":3}"#)
    try writers.write(0, .newer(append, "/a/b"))
    writers.deliverEverything()
    for device in 0...1 {
      #expect(writers.state(device).newerPaths().map(\.pointer) == ["/a/b"])
    }
    #expect(writers.body(0) == #"{"c":3}"#)
    // Somebody who understands it takes it away.
    try writers.write(0, .newer(OperationKind(code: 9, cover: .path, carriesValue: false), "/a"))
    writers.deliverEverything()
    let values = writers.state(1).entries.filter { $0.effect.kind == append }
    #expect(values.isEmpty)
  }
}
