import Replication
import Testing

/// Streams and fingerprints by small numbers.
private func entry(_ stream: Int, _ sequence: UInt64, _ fingerprint: UInt64? = nil)
  -> Context.Entry
{
  Context.Entry(
    stream: StreamID(rawValue: UInt128(stream)), sequence: sequence,
    fingerprint: mark(fingerprint ?? sequence))
}

private func mark(_ number: UInt64) -> Fingerprint {
  Fingerprint(rawValue: UInt128(number) << 64)
}

private func header(_ tip: Context.Entry, seen: Context.Entry...) -> Transaction.Header {
  Transaction.Header(
    stream: tip.stream, sequence: tip.sequence, time: .zero, context: Context(seen), nonce: 0,
    fingerprint: tip.fingerprint)
}

private func header(
  _ tip: Context.Entry, after previous: UInt64, seen: [Context.Entry]
) -> Transaction.Header {
  Transaction.Header(
    stream: tip.stream, sequence: tip.sequence, time: .zero,
    context: Context(
      seen + [
        Context.Entry(
          stream: tip.stream, sequence: previous, fingerprint: mark(previous))
      ]),
    nonce: 0, fingerprint: tip.fingerprint)
}

@Suite struct ContextTests {
  @Test func itContainsWhatStandsAtOrBeforeItsEntries() {
    let context = Context([entry(2, 3), entry(1, 1)])
    #expect(context.contains(stream: entry(2, 1).stream, sequence: 3))
    #expect(!context.contains(stream: entry(2, 1).stream, sequence: 4))
    #expect(!context.contains(stream: entry(3, 1).stream, sequence: 1))
    #expect(context.sequence(of: entry(3, 1).stream) == 0)
  }

  @Test func eachEntryStandsOnceInWhateverOrderTheyCome() {
    let all = [entry(3, 1), entry(1, 2), entry(2, 0), entry(1, 2), entry(1, 1), entry(2, 5)]
    let sorted = [entry(1, 1), entry(1, 2), entry(2, 5), entry(3, 1)]
    #expect(Context(all).entries == sorted)
    #expect(Context(sorted + [entry(3, 1)]).entries == sorted)
    var context = Context()
    for entry in all + all { context.insert(entry) }
    #expect(context.entries == sorted)
  }

  @Test(arguments: [1, 20]) func manyStreamsAreReplacedAsEachByItselfWouldBe(count: Int) {
    let before = Context((1...30).flatMap { [entry($0, 1), entry($0, 2)] })
    let changes = Context((1...count).map { entry($0 * 2, 7) })
    var context = before
    context.replace(with: changes)
    var expected = before
    for stream in changes.streams { expected.replace(stream, with: changes.entries(of: stream)) }
    #expect(context == expected)
  }

  // One by one, it takes many minutes.
  @Test(.timeLimit(.minutes(1))) func hundredsOfThousandsOfStreamsAreTakenAtOnce() {
    let all = (0..<300_000).map { entry($0 * 7919 % 300_000 + 1, 1) }
    #expect(Context(all).entries.count == all.count)
  }

  @Test func entriesAreSortedAndTheGreaterOneStays() {
    var context = Context([entry(3, 1), entry(1, 2), entry(2, 5)])
    context.advance(entry(1, 1))
    #expect(context.entries == [entry(1, 2), entry(2, 5), entry(3, 1)])
    context.advance(entry(2, 5, 99))
    #expect(context.entry(of: entry(2, 1).stream) == entry(2, 5))
    context.advance(entry(4, 0))
    #expect(context.entries.count == 3)
  }

  // Lesson 19.
  @Test func branchesOfAStreamStandBesideOneAnother() {
    let context = Context([entry(1, 2, 21), entry(2, 1), entry(1, 2, 20), entry(1, 2, 21)])
    #expect(context.entries == [entry(1, 2, 20), entry(1, 2, 21), entry(2, 1)])
    #expect(context.entries(of: entry(1, 1).stream).count == 2)
    #expect(context.streams == [entry(1, 1).stream, entry(2, 1).stream])
    #expect(context.without(entry(2, 1).stream) == Context([entry(1, 2, 20), entry(1, 2, 21)]))
  }
}

@Suite struct FrontierTests {
  @Test func whatIsSeenNamesBothBranchesThatAreMissing() {
    // The author published last a removal that had waited, whose context is an older one.
    var frontier = Frontier()
    frontier.take(header(entry(1, 1)))
    frontier.take(header(entry(1, 2), seen: entry(1, 1), entry(2, 3, 30)))
    frontier.take(header(entry(1, 3), seen: entry(2, 2, 21), entry(3, 1)))
    #expect(
      frontier.seen == Context([entry(1, 3), entry(2, 2, 21), entry(2, 3, 30), entry(3, 1)]))
  }

  @Test func whatHasSeenWhatIsMissingStaysOpen() {
    var frontier = Frontier()
    frontier.take(header(entry(1, 1), seen: entry(2, 1)))
    frontier.take(header(entry(1, 2), seen: entry(1, 1)))
    #expect(frontier.close().isEmpty)
    #expect(frontier.applied == Context([entry(1, 2)]))
    #expect(frontier.closed == Context())
    #expect(frontier.seen == Context([entry(1, 2), entry(2, 1)]))
    frontier.take(header(entry(2, 1)))
    let closed = frontier.close()
    #expect(closed.map(\.tip) == [entry(2, 1), entry(1, 2)])
    #expect(frontier.closed == frontier.applied)
    #expect(frontier.seen == frontier.applied)
    #expect(frontier.open.isEmpty)
  }

  @Test func whatWaitsForTheSameIsOneHoweverLong() {
    var frontier = Frontier()
    frontier.take(header(entry(1, 1), seen: entry(2, 1), entry(3, 1)))
    for sequence in 2...1000 {
      // One of which nothing is left names no other stream.
      let others = sequence % 7 == 0 ? [] : [entry(2, 1), entry(3, 1)]
      frontier.take(header(entry(1, UInt64(sequence)), after: UInt64(sequence) - 1, seen: others))
    }
    #expect(frontier.open.values.joined().map(\.first) == [1])
    #expect(frontier.open.values.joined().map(\.tip) == [entry(1, 1000)])
    #expect(frontier.seen == Context([entry(1, 1000), entry(2, 1), entry(3, 1)]))
    frontier.take(header(entry(3, 1)))
    #expect(frontier.close().map(\.tip) == [entry(3, 1)])
    frontier.take(header(entry(2, 1)))
    #expect(frontier.close().map(\.tip) == [entry(2, 1), entry(1, 1000)])
    #expect(frontier.open.isEmpty)
  }

  @Test func whatHasSeenMoreOrLessWaitsForItself() {
    let changes: [[Context.Entry]] = [
      [entry(2, 8), entry(3, 1)], [entry(2, 9, 90), entry(3, 1)],
      [entry(2, 7, 70), entry(2, 9), entry(3, 1)], [entry(2, 9), entry(3, 1), entry(4, 1)],
    ]
    for seen in changes {
      var frontier = Frontier()
      frontier.take(header(entry(1, 1), seen: entry(2, 9), entry(3, 1)))
      frontier.take(header(entry(1, 2), after: 1, seen: seen))
      #expect(frontier.open.values.joined().map(\.first) == [1, 2], "\(seen)")
    }
    // Of two branches it has seen one no more.
    var frontier = Frontier()
    frontier.take(header(entry(1, 1), seen: entry(2, 9, 90), entry(2, 9), entry(3, 1)))
    frontier.take(header(entry(1, 2), after: 1, seen: [entry(2, 9), entry(3, 1)]))
    #expect(frontier.open.values.joined().map(\.first) == [1, 2])
    // Nor has it seen what comes before itself: a removal that had waited.
    frontier = Frontier()
    frontier.take(header(entry(1, 1), seen: entry(2, 9)))
    frontier.take(header(entry(1, 2), seen: entry(2, 9)))
    #expect(frontier.open.values.joined().map(\.first) == [1, 2])
  }

  // Lesson 19.
  @Test func aStreamClosesUpToTheFirstThatWaits() {
    var frontier = Frontier()
    frontier.take(header(entry(1, 1)))
    frontier.take(header(entry(1, 2), seen: entry(1, 1), entry(2, 7)))
    frontier.take(header(entry(1, 3), seen: entry(1, 2), entry(2, 7)))
    frontier.close()
    #expect(frontier.closed == Context([entry(1, 1)]))
    #expect(frontier.applied == Context([entry(1, 3)]))
  }

  @Test func anotherBranchOfAStreamIsNotWhatWasSeen() {
    var frontier = Frontier()
    frontier.take(header(entry(2, 1, 50)))
    frontier.take(header(entry(1, 1), seen: entry(2, 1, 51)))
    frontier.close()
    #expect(frontier.closed == Context([entry(2, 1, 50)]))
  }
}

@Suite struct GivenUpTests {
  @Test func anotherBranchThanTheOneGivenUpIsToldFromItByWhoReadsTheFrontierAnew() {
    var frontier = Frontier()
    frontier.take(header(entry(1, 1), seen: entry(2, 9, 90)))
    frontier.giveUp(entry(2, 1).stream, upTo: 9)
    frontier.close()
    #expect(frontier.open.isEmpty)
    for number in 1...12 as ClosedRange<UInt64> {
      frontier = frontier.readAnew
      frontier.take(header(entry(2, number)))
      frontier.close()
    }
    let early = Stamp(
      time: .zero, dot: Dot(stream: entry(2, 7).stream, sequence: 7, index: 0),
      fingerprint: entry(2, 7).fingerprint)
    let relation = frontier.lineage.relation(of: Context([entry(2, 9, 90)]), to: early)
    #expect(relation == .doubtful)
    #expect(frontier.closed == Context([entry(1, 1), entry(2, 9, 90), entry(2, 12)]))
    #expect(frontier.givenUpNames.isEmpty)
  }

  @Test func whatIsClaimedGivenUpStaysSoWhereSomethingBeforeItComesAndIsOpen() {
    var frontier = Frontier()
    frontier.take(header(entry(1, 1)))
    frontier.take(header(entry(2, 1), seen: entry(1, 3, 30)))
    frontier.giveUp(entry(1, 1).stream, upTo: 3)
    frontier.close()
    #expect(frontier.closed.entries(of: entry(1, 1).stream).contains(entry(1, 3, 30)))
    // Its author has seen what is not here.
    frontier.take(header(entry(1, 2), seen: entry(1, 1), entry(3, 1)))
    let own = header(entry(4, 1), seen: entry(1, 1), entry(1, 3, 30), entry(2, 1))
    #expect(frontier.isClosed(own.context))
    frontier.take(own)
    frontier.close()
    #expect(frontier.closed.contains(stream: entry(4, 1).stream, sequence: 1))
  }

  @Test func whatIsClaimedGivenUpStaysSoWhereItComesAndIsNotUnderstood() {
    var frontier = Frontier()
    frontier.take(header(entry(2, 1), seen: entry(1, 1)))
    frontier.giveUp(entry(1, 1).stream, upTo: 1)
    frontier.close()
    let newer = header(entry(1, 1))
    frontier.apply(newer, after: mark(0), isUnderstood: false)
    // Whoever goes on from there names it again, here and elsewhere.
    frontier.take(header(entry(2, 2), seen: entry(1, 1), entry(2, 1)))
    frontier.close()
    #expect(frontier.closed == Context([entry(1, 1), entry(2, 2)]))
    frontier = frontier.readAnew
    frontier.take(header(entry(3, 1), seen: entry(1, 1), entry(2, 2)))
    frontier.close()
    #expect(frontier.closed == Context([entry(1, 1), entry(2, 2), entry(3, 1)]))
    // Once it is closed itself, nobody has to keep its name.
    frontier.understand { _ in true }
    frontier.close()
    frontier.take(header(entry(3, 2), seen: entry(1, 1), entry(2, 2), entry(3, 1)))
    frontier.close()
    #expect(frontier.closed == Context([entry(1, 1), entry(2, 2), entry(3, 2)]))
    #expect(frontier.lost[Lineage.LineID(stream: entry(3, 1).stream, index: 0)] == nil)
  }

  @Test func whatWaitsForNothingButOneAnotherClosesTogether() {
    var frontier = Frontier()
    frontier.take(header(entry(1, 1), seen: entry(2, 1, 20)))
    frontier.take(header(entry(2, 1), seen: entry(1, 1, 10)))
    frontier.take(header(entry(2, 2), seen: entry(2, 1), entry(3, 1)))
    for stream in 1...2 { frontier.giveUp(entry(stream, 1).stream, upTo: 1) }
    let taken = frontier.close()
    #expect(Set(taken.map(\.tip)) == [entry(1, 1), entry(2, 1)])
    #expect(
      frontier.closed == Context([entry(1, 1), entry(1, 1, 10), entry(2, 1), entry(2, 1, 20)]))
    // What is missing and not given up is waited for.
    #expect(frontier.open.values.joined().map(\.tip) == [entry(2, 2)])
    frontier = frontier.readAnew
    frontier.take(header(entry(3, 1)))
    frontier.close()
    #expect(frontier.open.isEmpty)
  }

  @Test func whatIsGivenUpStaysClaimedBehindATransactionOfWhichNothingIsLeft() {
    var frontier = Frontier()
    frontier.take(header(entry(1, 1), seen: entry(2, 1), entry(3, 4)))
    frontier.giveUp(entry(2, 1).stream, upTo: 1)
    frontier.giveUp(entry(3, 1).stream, upTo: 9)
    frontier.take(header(entry(1, 2), seen: entry(1, 1)))
    frontier.close()
    #expect(frontier.closed == Context([entry(1, 2), entry(2, 1), entry(3, 4)]))
    // Whoever names the stream again names all that was seen of it.
    frontier.take(header(entry(1, 3), seen: entry(1, 2), entry(3, 7)))
    frontier.close()
    #expect(frontier.closed == Context([entry(1, 3), entry(2, 1), entry(3, 7)]))
  }

  @Test func aNameAboveWhatHasComeIsStillKnownOnceItsBranchIsContradicted() {
    var frontier = Frontier()
    frontier.take(header(entry(1, 1), seen: entry(2, 4, 90)))
    frontier.take(header(entry(1, 2), seen: entry(1, 1), entry(2, 9, 91)))
    frontier.giveUp(entry(2, 1).stream, upTo: 9)
    frontier.close()
    #expect(frontier.givenUpNames == [entry(2, 4, 90), entry(2, 9, 91)])
    for number in 1...6 as ClosedRange<UInt64> {
      frontier = frontier.readAnew
      frontier.take(header(entry(2, number)))
      frontier.close()
    }
    // As on a device that gave nothing up, and so still has both names open.
    #expect(frontier.lineage.streams[entry(2, 1).stream]?.isForked == true)
  }
}

extension Frontier {
  /// Applies a transaction whose predecessor has its sequence for a fingerprint.
  fileprivate mutating func take(_ header: Transaction.Header) {
    apply(header, after: mark(header.sequence - 1))
  }
}
