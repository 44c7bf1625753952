// Transactions of which nothing is left: after much was dropped, thousands follow one another.
extension Frontier {
  /// Whether a transaction goes on with a stream that does not branch, so that no more has to be
  /// looked at than ``agreeing(_:)``.
  package func extends(_ header: Transaction.Header, after previous: Fingerprint) -> Bool {
    guard let stream = lineage.streams[header.stream], !stream.isBranching,
      stream.lines.count == 1
    else { return false }
    let before = Context.Entry(
      stream: header.stream, sequence: header.sequence - 1, fingerprint: previous)
    return stream.lines[0].tip == before
  }

  /// The first of some transactions of a stream that are what others have seen under their numbers.
  package func agreeing(_ tips: ArraySlice<Context.Entry>) -> ArraySlice<Context.Entry> {
    let others = awaited(of: tips).filter { place, seen in seen != [tips[place].fingerprint] }
    return others.map(\.place).min().map { tips[..<$0] } ?? tips
  }

  /// What others have seen of a stream under the numbers of some transactions that follow one
  /// another.
  private func awaited(
    of tips: ArraySlice<Context.Entry>
  ) -> [(place: Int, seen: Set<Fingerprint>)] {
    guard let head = tips.first, let awaited = expected[head.stream] else { return [] }
    // Of either there may be very many.
    guard awaited.count > tips.count else {
      let numbers = head.sequence..<head.sequence + UInt64(tips.count)
      return awaited.filter { numbers.contains($0.key) }.map { sequence, seen in
        (tips.startIndex + Int(sequence - head.sequence), seen)
      }
    }
    return tips.indices.compactMap { place in
      awaited[tips[place].sequence].map { (place, $0) }
    }
  }

  /// Notes transactions that follow one another and of which nothing is left, as ``apply`` does it
  /// with each.
  ///
  /// - parameters:
  ///   - tips: All of them; each has seen the one before it, and nothing else.
  ///   - header: The first.
  /// - precondition: ``extends(_:after:)``, and all are ``agreeing(_:)``
  /// - returns: the first of those that the first goes with.
  package mutating func applyLeftOut(
    _ tips: ArraySlice<Context.Entry>, of header: Transaction.Header, after previous: Fingerprint
  ) -> UInt64 {
    let line = lineage.extend(header.tip, after: previous)
    lineage.extend(line, with: tips.dropFirst())
    for (place, _) in awaited(of: tips) {
      expected[header.stream]?.removeValue(forKey: tips[place].sequence)
    }
    let first = note(header, isUnderstood: true, inserts: [:], on: line)
    if let last = open[line]?.indices.last, let end = tips.last {
      open[line]?[last].extend(to: end)
    }
    return first
  }
}
