import CanonicalJSON
import ReferenceModel
import Replication
import Testing

/// Increments are counted where they change nothing else; folded one by one they must come to the
/// same.
@Suite("A history with runs of increments") struct FoldingTests {
  private static let seeds = 1...30 as ClosedRange<UInt64>

  @Test("tells of each transaction what it changed")
  func changes() throws {
    var counted = 0
    for seed in Self.seeds {
      let (events, lineage) = try Self.events(seed: seed)
      for lineage in [nil, lineage] {
        let history = DocumentHistory(of: events, lineage: lineage)
        var state = DocumentState(lineage: lineage)
        var shown: ShownValues = [:]
        for (event, change) in zip(events, history.changes) {
          for step in event.steps {
            state.apply(
              step.effect, stamp: event.stamp(of: step), context: event.header.context)
          }
          let before = shown
          shown = state.view().shownValues
          let changed = Set(before.keys).union(shown.keys).filter { before[$0] != shown[$0] }
          #expect(Set(change.members.map(\.path)).isSuperset(of: changed), "seed \(seed)")
          for member in change.members {
            #expect(member.old == before[member.path] && member.new == shown[member.path])
          }
          #expect(change.isVisible == state.view().isVisible)
        }
        #expect(history.changes.count == events.count)
        #expect(history.state == state, "seed \(seed)")
        #expect(DocumentState(of: events, lineage: lineage) == state, "seed \(seed)")
      }
      var fold = EventFold(lineage: nil)
      for event in events {
        if fold.count(event) != nil { counted += 1 } else { _ = fold.take(event) }
      }
    }
    // Else it would prove nothing.
    #expect(counted > 100)
  }

  /// All are found at once; one by one they must be the same.
  @Test("names the operation behind each change, and what lost by it")
  func members() throws {
    var lost = 0
    for seed in Self.seeds {
      let (events, lineage) = try Self.events(seed: seed)
      let history = DocumentHistory(of: events, lineage: lineage)
      var state = DocumentState(lineage: lineage)
      for (event, change) in zip(events, history.changes) {
        for step in event.steps {
          state.apply(step.effect, stamp: event.stamp(of: step), context: event.header.context)
        }
        for member in change.members {
          #expect(member.kind == Self.kind(behind: member.path, in: event), "seed \(seed)")
          let losers = Self.losers(against: event, by: member, in: state)
          #expect(member.lost.map(\.value) == losers.map(\.value), "seed \(seed)")
          #expect(member.lost.map(\.dot) == losers.map(\.dot), "seed \(seed)")
          lost += losers.count
        }
      }
    }
    // Else it would prove nothing.
    #expect(lost > 10)
  }

  /// What is done for each pair of members would take minutes.
  @Test("of a document of many members tells of each")
  func manyMembers() throws {
    let count = 4_000
    let paths = (0..<count).map { Path.root.appending(ByteString("m\($0)")) }
    let stream = StreamID(rawValue: 7)
    let insert = Dot(stream: stream, sequence: 1, index: 0)
    var seen = Context()
    let events = (1...2 as ClosedRange<UInt64>).map { sequence in
      let header = Transaction.Header(
        stream: stream, sequence: sequence, time: .zero, context: seen, nonce: 1,
        fingerprint: Fingerprint(rawValue: UInt128(sequence)))
      seen.advance(header.tip)
      var event = DocumentEvent(header: header)
      let key = DocumentKey(collection: "notes", id: "0")
      if sequence == 1 {
        event.append(Operation(document: key, insert: insert, path: .root, kind: .clear), at: 0)
      }
      for (index, path) in paths.enumerated() {
        let payload = CounterAmount.leaf(Int128(sequence)).bytes
        event.append(
          Operation(document: key, insert: insert, path: path, kind: .set, payload: payload),
          at: index + 1)
      }
      return event
    }
    let history = DocumentHistory(of: events, lineage: nil)
    let sorted = paths.sorted()
    let second = Dot(stream: stream, sequence: 2, index: 0)
    let outcomes: [DocumentHistory.Outcome] = [.superseded(second), .shown]
    for (change, outcome) in zip(history.changes, outcomes) {
      #expect(change.members.map(\.path) == sorted)
      let areAsExpected = change.members.allSatisfy {
        $0.kind == .set && $0.outcome == outcome && $0.lost.isEmpty
      }
      #expect(areAsExpected)
    }
  }

  @Test("is the same state whether its operations come one by one or many at once")
  func deliveries() throws {
    for seed in Self.seeds {
      var random = SplitMix(seed: seed)
      var (events, lineage) = try Self.events(seed: seed)
      // In another order, but each stream in its own.
      var order: [DocumentEvent] = []
      while !events.isEmpty {
        let stream = events[random.below(events.count)].header.stream
        guard let index = events.firstIndex(where: { $0.header.stream == stream }) else { break }
        order.append(events.remove(at: index))
      }
      for lineage in [nil, lineage] {
        var (single, many) = (DocumentState(lineage: lineage), DocumentState(lineage: lineage))
        var (first, second): ([Stamp], [Stamp]) = ([], [])
        for entry in order.flatMap(\.entries) {
          guard let context = entry.context else { continue }
          if single.apply(entry.effect, stamp: entry.stamp, context: context) {
            first.append(entry.stamp)
          }
        }
        // Some come twice.
        many.apply(order.flatMap(\.entries) + order.suffix(9).flatMap(\.entries)) { stamp, _ in
          second.append(stamp)
        }
        #expect(single == many, "seed \(seed)")
        #expect(first == Array(second.prefix(first.count)), "seed \(seed)")
      }
    }
  }

  /// The last of the operations nearest to `path`, at or above; else the last below.
  private static func kind(behind path: Path, in event: DocumentEvent) -> OperationKind? {
    let above = event.steps.filter { path.isAtOrBelow($0.effect.path) }
    let nearest = above.map(\.effect.path.bytes.count).max()
    return above.last { $0.effect.path.bytes.count == nearest }?.effect.kind
      ?? event.steps.last { $0.effect.path.isAtOrBelow(path) }?.effect.kind
  }

  /// What others wrote at a member's path, which is kept, and not what shows.
  private static func losers(
    against event: DocumentEvent, by member: DocumentHistory.Member, in state: DocumentState
  ) -> [(value: [UInt8], dot: Dot)] {
    state.visibility().values.map { state.entries[$0] }.filter { entry in
      let dot = entry.stamp.dot
      return entry.effect.path == member.path && entry.effect.kind == .set
        && (dot.stream != event.header.stream || dot.sequence != event.header.sequence)
    }.map { entry in
      var text: [UInt8] = []
      Leaf(unchecked: entry.effect.payload.array).write(into: &text)
      return (text, entry.stamp.dot)
    }.filter { $0.value != member.new }
  }

  /// What several devices did to a document, and another that counts in between, in order.
  private static func events(seed: UInt64) throws -> (events: [DocumentEvent], Lineage) {
    var history = History(seed: seed, size: History.Size(steps: 20...40))
    for step in 0..<history.length { try history.take(step) }
    try history.deliverEverything()
    let key = history.keys[0]
    let written = history.devices.flatMap(\.written).filter { sent in
      sent.operations.contains { $0.document == key }
    }.map { sent in
      var event = DocumentEvent(header: sent.header)
      for (index, operation) in sent.operations.enumerated() where operation.document == key {
        event.append(operation, at: index)
      }
      return event
    }
    var random = SplitMix(seed: seed)
    var counter = CountingDevice()
    var events: [DocumentEvent] = []
    for event in written.sorted(by: DocumentEvent.precedes) {
      events.append(event)
      counter.see(event)
      for _ in 0..<random.below(4) { events.append(counter.next(&random)) }
    }
    return (events.sorted(by: DocumentEvent.precedes), history.devices[0].frontier.lineage)
  }
}

/// Adds to whatever may be a counter.
private struct CountingDevice {
  private let stream = StreamID(rawValue: 99)
  private var seen = Context()
  private var time = HybridTime.zero
  private var sequence: UInt64 = 0

  mutating func see(_ event: DocumentEvent) {
    seen.advance(event.header.tip)
    time = event.header.time
  }

  mutating func next(_ random: inout SplitMix) -> DocumentEvent {
    sequence += 1
    // Now and then it has seen nothing but its own.
    var context = random.chance(80) ? seen : Context()
    for entry in seen.entries(of: stream) { context.advance(entry) }
    let fingerprint = Fingerprint(rawValue: UInt128(sequence) << 64 | 99)
    let header = Transaction.Header(
      stream: stream, sequence: sequence, time: time, context: context, nonce: 1,
      fingerprint: fingerprint)
    seen.advance(header.tip)
    var event = DocumentEvent(header: header)
    let path = random.memberPath()
    for index in 0..<1 + random.below(2) {
      let operation = Operation(
        document: DocumentKey(collection: "notes", id: "0"),
        insert: Dot(stream: stream, sequence: 1, index: 0), path: path, kind: .increment,
        payload: CounterAmount.payload(ofIncrement: Int64(random.below(5)) - 2))
      event.append(operation, at: index)
    }
    return event
  }
}
