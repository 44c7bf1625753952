/// How far each stream has been applied here, and how much of that may be claimed as seen.
///
/// A stream is applied in order and without holes (protocol.md 6). A context may only claim the
/// **closed** part: the greatest vector all of whose own contexts have arrived too (4), so that
/// having seen is transitive.
///
///     var frontier = Frontier()
///     frontier.apply(header)
///     frontier.closed  // what the next local write may claim
package struct Frontier: Sendable, Equatable {
  /// A transaction that is applied, but may not be claimed: its context has not wholly arrived, or
  /// it has operations of kinds that only a newer version understands (protocol.md 17).
  package struct Open: Sendable, Equatable {
    package let tip: Context.Entry
    package let context: Context
    package var isUnderstood: Bool

    package init(tip: Context.Entry, context: Context, isUnderstood: Bool = true) {
      self.tip = tip
      self.context = context
      self.isUnderstood = isUnderstood
    }
  }

  /// All that has been applied.
  package private(set) var applied: Context
  /// The part of it that an author here may claim to have seen.
  package private(set) var closed: Context
  /// What is applied and not closed, each stream in order.
  package private(set) var open: [StreamID: [Open]]

  package init(
    applied: Context = Context(), closed: Context = Context(), open: [StreamID: [Open]] = [:]
  ) {
    self.applied = applied
    self.closed = closed
    self.open = open
  }

  /// All that has been applied, and what the authors of that had seen: what a removal here means.
  ///
  /// It is closed, and so may be claimed as it is once all of it has arrived.
  package var seen: Context {
    open.values.joined().reduce(into: applied) { $0.merge($1.context) }
  }

  /// Notes that the next transaction of its stream has been applied.
  package mutating func apply(_ header: Transaction.Header, isUnderstood: Bool = true) {
    applied.advance(header.tip)
    open[header.stream, default: []].append(
      Open(tip: header.tip, context: header.context, isUnderstood: isUnderstood))
  }

  /// Takes transactions for understood from now on: after an upgrade.
  package mutating func understand(_ isUnderstood: (Context.Entry) -> Bool) {
    for (stream, transactions) in open {
      open[stream] = transactions.map { transaction in
        var transaction = transaction
        if isUnderstood(transaction.tip) { transaction.isUnderstood = true }
        return transaction
      }
    }
  }

  /// Moves the closed part as far as it goes; returns what became closed.
  ///
  /// Contexts are acyclic, so taking whatever can be taken until nothing can reaches the greatest
  /// closed vector.
  @discardableResult
  package mutating func close() -> [Open] {
    var taken: [Open] = []
    var isMoving = true
    while isMoving {
      isMoving = false
      for stream in Array(open.keys) {
        let ready = closeHead(of: stream)
        taken += ready
        if !ready.isEmpty { isMoving = true }
      }
    }
    return taken
  }

  private mutating func closeHead(of stream: StreamID) -> [Open] {
    let waiting = open[stream, default: []]
    var count = 0
    while count < waiting.count, isClosed(waiting[count]) {
      closed.advance(waiting[count].tip)
      count += 1
    }
    open[stream] = count == waiting.count ? nil : Array(waiting[count...])
    return Array(waiting[..<count])
  }

  private func isClosed(_ transaction: Open) -> Bool {
    guard transaction.isUnderstood else { return false }
    return transaction.context.entries.allSatisfy { seen in
      guard let here = closed.entry(of: seen.stream) else { return false }
      // The same sequence under another fingerprint is another branch of a cloned stream.
      return seen.sequence < here.sequence
        || seen.sequence == here.sequence && seen.fingerprint == here.fingerprint
    }
  }
}
