import Testing

@testable import Replication

/// Streams and fingerprints by small numbers.
private func entry(_ stream: Int, _ sequence: UInt64, _ fingerprint: UInt64? = nil)
  -> Context.Entry
{
  Context.Entry(
    stream: StreamID(rawValue: UInt128(stream)), sequence: sequence,
    fingerprint: Fingerprint(rawValue: UInt128(fingerprint ?? sequence)))
}

private func header(_ tip: Context.Entry, seen: Context.Entry...) -> Transaction.Header {
  Transaction.Header(
    stream: tip.stream, sequence: tip.sequence, time: .zero, context: Context(seen), nonce: 0,
    fingerprint: tip.fingerprint)
}

@Suite struct ContextTests {
  @Test func itContainsWhatStandsAtOrBeforeItsEntries() {
    let context = Context([entry(2, 3), entry(1, 1)])
    #expect(context.contains(stream: entry(2, 1).stream, sequence: 3))
    #expect(!context.contains(stream: entry(2, 1).stream, sequence: 4))
    #expect(!context.contains(stream: entry(3, 1).stream, sequence: 1))
    #expect(context.sequence(of: entry(3, 1).stream) == 0)
  }

  @Test func entriesAreSortedAndTheGreaterOneStays() {
    var context = Context([entry(3, 1), entry(1, 2), entry(2, 5), entry(1, 1)])
    #expect(context.entries == [entry(1, 2), entry(2, 5), entry(3, 1)])
    context.advance(entry(2, 5, 99))
    #expect(context.entry(of: entry(2, 1).stream) == entry(2, 5))
    context.advance(entry(4, 0))
    #expect(context.entries.count == 3)
  }

  // Lesson 19.
  @Test func mergingTakesTheGreaterOfEachStream() {
    var context = Context([entry(1, 2), entry(2, 1)])
    let other = Context([entry(2, 4), entry(3, 1)])
    #expect(!other.isCovered(by: context))
    context.merge(other)
    #expect(context == Context([entry(1, 2), entry(2, 4), entry(3, 1)]))
    #expect(other.isCovered(by: context))
    #expect(context.without(entry(2, 1).stream) == Context([entry(1, 2), entry(3, 1)]))
  }
}

@Suite struct FrontierTests {
  @Test func whatHasSeenWhatIsMissingStaysOpen() {
    var frontier = Frontier()
    frontier.apply(header(entry(1, 1), seen: entry(2, 1)))
    frontier.apply(header(entry(1, 2), seen: entry(1, 1)))
    #expect(frontier.close().isEmpty)
    #expect(frontier.applied == Context([entry(1, 2)]))
    #expect(frontier.closed == Context())
    #expect(frontier.seen == Context([entry(1, 2), entry(2, 1)]))
    frontier.apply(header(entry(2, 1)))
    let closed = frontier.close()
    #expect(closed.map(\.tip) == [entry(2, 1), entry(1, 1), entry(1, 2)])
    #expect(frontier.closed == frontier.applied)
    #expect(frontier.seen == frontier.applied)
    #expect(frontier.open.isEmpty)
  }

  // Lesson 19.
  @Test func aStreamClosesUpToTheFirstThatWaits() {
    var frontier = Frontier()
    frontier.apply(header(entry(1, 1)))
    frontier.apply(header(entry(1, 2), seen: entry(1, 1), entry(2, 7)))
    frontier.apply(header(entry(1, 3), seen: entry(1, 2), entry(2, 7)))
    frontier.close()
    #expect(frontier.closed == Context([entry(1, 1)]))
    #expect(frontier.applied == Context([entry(1, 3)]))
  }

  @Test func anotherBranchOfAStreamIsNotWhatWasSeen() {
    var frontier = Frontier()
    frontier.apply(header(entry(2, 1, 50)))
    frontier.apply(header(entry(1, 1), seen: entry(2, 1, 51)))
    frontier.close()
    #expect(frontier.closed == Context([entry(2, 1, 50)]))
  }
}
