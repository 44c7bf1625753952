import Replication
import Testing

private func tip(_ stream: Int, _ sequence: UInt64, of branch: UInt64 = 0) -> Context.Entry {
  Context.Entry(
    stream: StreamID(rawValue: UInt128(stream)), sequence: sequence,
    fingerprint: Fingerprint(rawValue: UInt128(branch << 32 | sequence) << 64))
}

private func header(_ tip: Context.Entry, seen: [Context.Entry]) -> Transaction.Header {
  Transaction.Header(
    stream: tip.stream, sequence: tip.sequence, time: .zero, context: Context(seen), nonce: 0,
    fingerprint: tip.fingerprint)
}

@Suite("A run of transactions of which nothing is left") struct LeftOutRunTests {
  /// What a run leaves: its marks are kept, and what others have seen of it is compared.
  private struct Outcome: Equatable {
    var frontier: Frontier
    let contradicted: Set<StreamID>

    init(_ frontier: Frontier) {
      self.frontier = frontier
      contradicted = self.frontier.takeContradicted()
    }
  }

  /// Stream 1 up to its third transaction; stream 2 has seen some of what follows.
  private static func frontier(
    whole: UInt64, seeing other: [Context.Entry], named: [Context.Entry]
  ) -> Frontier {
    var frontier = Frontier()
    for sequence in 1...whole {
      let seen = other + (sequence > 1 ? [tip(1, sequence - 1)] : [])
      frontier.apply(
        header(tip(1, sequence), seen: seen),
        after: sequence > 1 ? tip(1, sequence - 1).fingerprint : .origin)
    }
    for (offset, entry) in named.enumerated() {
      let sequence = UInt64(offset) + 1
      let own = sequence > 1 ? [tip(2, sequence - 1)] : []
      frontier.apply(
        header(tip(2, sequence), seen: own + [entry]),
        after: sequence > 1 ? tip(2, sequence - 1).fingerprint : .origin)
    }
    return frontier
  }

  /// As an import does it: at once as far as that goes, and the rest one by one.
  private static func taken(_ tips: [Context.Entry], into frontier: Frontier) -> (Outcome, Int) {
    var (frontier, index, atOnce) = (frontier, 0, 0)
    while index < tips.count {
      let before = Context.Entry(
        stream: tips[index].stream, sequence: tips[index].sequence - 1,
        fingerprint: index > 0 ? tips[index - 1].fingerprint : tip(1, 3).fingerprint)
      let first = header(tips[index], seen: [before])
      let run =
        frontier.extends(first, after: before.fingerprint) ? frontier.agreeing(tips[index...]) : []
      if run.isEmpty {
        frontier.apply(first, after: before.fingerprint)
      } else {
        _ = frontier.applyLeftOut(run, of: first, after: before.fingerprint)
      }
      atOnce = max(atOnce, run.count)
      index += max(run.count, 1)
    }
    return (Outcome(frontier), atOnce)
  }

  private static func takenOneByOne(
    _ tips: [Context.Entry], into frontier: Frontier
  ) -> Outcome {
    var frontier = frontier
    var before = tip(1, 3)
    for next in tips {
      frontier.apply(header(next, seen: [before]), after: before.fingerprint)
      before = next
    }
    return Outcome(frontier)
  }

  /// Whom the first transactions had seen; what others have seen of the run; how much of that goes
  /// at once.
  private static let cases: [(seen: [Context.Entry], named: [Context.Entry], atOnce: Int)] = [
    ([], [], 40), ([tip(3, 9)], [], 40), ([], [tip(1, 5), tip(1, 9), tip(1, 43)], 40),
    ([], [tip(1, 50)], 40), ([tip(3, 9)], [tip(1, 8), tip(1, 20, of: 1)], 16),
    ([], [tip(1, 4, of: 1)], 0), ([], [tip(1, 43, of: 1), tip(1, 60)], 39),
    ([], (4...80).map { tip(1, $0) }, 40),
    ([], (4...80).map { tip(1, $0, of: $0 == 30 ? 1 : 0) }, 26),
  ]

  @Test("is taken in at once as each of them would be, up to what contradicts what others saw")
  func atOnce() {
    for (seen, named, count) in Self.cases {
      let frontier = Self.frontier(whole: 3, seeing: seen, named: named)
      let tips = (4...43).map { tip(1, $0) }
      let (outcome, atOnce) = Self.taken(tips, into: frontier)
      #expect(outcome == Self.takenOneByOne(tips, into: frontier))
      #expect(atOnce == count)
      #expect(outcome.frontier.applied.sequence(of: tips[0].stream) == 43)
    }
  }

  @Test("of a stream that branches, or begins with it, goes one by one")
  func oneByOne() {
    var frontier = Self.frontier(whole: 3, seeing: [], named: [])
    let next = header(tip(1, 4), seen: [tip(1, 3)])
    #expect(frontier.extends(next, after: tip(1, 3).fingerprint))
    #expect(!frontier.extends(next, after: tip(1, 3, of: 1).fingerprint))
    #expect(!frontier.extends(header(tip(5, 1), seen: []), after: .origin))
    frontier.contradict(tip(1, 1).stream)
    #expect(!frontier.extends(next, after: tip(1, 3).fingerprint))
  }
}
