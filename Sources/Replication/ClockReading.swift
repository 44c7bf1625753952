/// What something that arrived shows of its author's clock, beside this machine's.
///
/// A time whose counter is 0 was read off the author's own clock. Any other is one more than a time
/// that the author had seen or given out, since its clock showed that or less.
package struct ClockReading: Hashable, Sendable {
  /// When it arrived, by this machine's clock, in milliseconds since 1970.
  package var arrived: Int64
  /// How far the time that it carries was ahead then; negative for one from the past.
  package var ahead: Int64
  /// Whether the time is no reading of the author's clock, which showed that or less.
  package var isBorrowed: Bool
  /// Since when the author's clock has been ahead; ``arrived`` where it is not.
  package var since: Int64

  package init(arrived: Int64, ahead: Int64, isBorrowed: Bool, since: Int64? = nil) {
    self.arrived = arrived
    self.ahead = ahead
    self.isBorrowed = isBorrowed
    self.since = since ?? arrived
  }

  /// What a time shows that arrives now.
  package init(of time: HybridTime, now: Int64) {
    self.init(
      arrived: now, ahead: Int64(time.milliseconds) - now,
      isBorrowed: UInt16(truncatingIfNeeded: time.rawValue) != 0)
  }

  /// Whether it tells more than another one of the same moment: the author's own clock does, and
  /// the less it was delayed the more.
  package func tellsMore(than other: ClockReading) -> Bool {
    isBorrowed == other.isBorrowed ? ahead > other.ahead : !isBorrowed
  }
}

/// The last readings of one device's clock, and what they prove.
package struct ClockHistory: Equatable, Sendable {
  /// The oldest first.
  package private(set) var readings: [ClockReading]

  /// As many are kept, and those within this time count as one: a burst is one witness.
  static let capacity = 8
  static let spacing: Int64 = 60_000
  /// Clocks that agree within this are right.
  package static let tolerance: Int64 = 60_000
  /// What is later than this is not just on its way.
  static let lateness: Int64 = 30 * 60_000
  /// So many witnesses, so far apart, are needed to tell a clock that is behind from a delay.
  static let witnesses = 3
  static let witnessSpan: Int64 = 10 * 60_000

  package init(_ readings: [ClockReading] = []) { self.readings = readings }

  /// Takes a reading over.
  ///
  /// - returns: whether anything is to be saved.
  package mutating func note(_ reading: ClockReading) -> Bool {
    // What was read in the future was read by a clock that has been set since.
    let count = readings.count
    readings.removeAll { $0.arrived > reading.arrived + Self.spacing }
    var reading = reading
    if let last = readings.last(where: { !$0.isBorrowed }), !reading.isBorrowed,
      reading.ahead > Self.tolerance, last.ahead > Self.tolerance
    {
      reading.since = last.since
    }
    guard let last = readings.last, reading.arrived < last.arrived + Self.spacing else {
      readings.append(reading)
      readings.removeFirst(max(0, readings.count - Self.capacity))
      return true
    }
    guard reading.tellsMore(than: last) else { return readings.count != count }
    readings[readings.count - 1] = reading
    readings[readings.count - 1].arrived = last.arrived
    return true
  }
}

extension ClockHistory {
  /// How far a device's clock is off.
  package struct Skew: Hashable, Sendable {
    /// In milliseconds; negative for one that is behind.
    package let ahead: Int64
    /// Since when that is known.
    package let since: Int64
    /// When something last showed it.
    package let lastSeen: Int64
    /// Whether it is proved: what seems to be behind may be delayed just as long, each time.
    package let isCertain: Bool

    package init(ahead: Int64, since: Int64, lastSeen: Int64, isCertain: Bool) {
      self.ahead = ahead
      self.since = since
      self.lastSeen = lastSeen
      self.isCertain = isCertain
    }
  }

  /// What the readings show; nil for a clock that is right, as far as one can know.
  ///
  /// A time from the future, when it arrives, cannot come from a clock that is right. A time from
  /// the past may; only if one thing after another is late by the same is its clock taken to be: a
  /// backlog that is imported at last is less and less late.
  package var skew: Skew? { skewAhead ?? skewBehind }

  private var skewAhead: Skew? {
    guard let last = readings.last(where: { !$0.isBorrowed }), last.ahead > Self.tolerance
    else { return nil }
    // A borrowed time that is no longer in the future: its clock shows that or less by now.
    let isOver = readings.contains { $0.arrived > last.arrived && $0.ahead <= Self.tolerance }
    guard !isOver else { return nil }
    return Skew(ahead: last.ahead, since: last.since, lastSeen: last.arrived, isCertain: true)
  }

  private var skewBehind: Skew? {
    let right = readings.lastIndex { !$0.isBorrowed && $0.ahead >= -Self.lateness }
    let late = readings.suffix(from: right.map { $0 + 1 } ?? 0)
      .filter { $0.ahead < -Self.lateness }
    guard late.count >= Self.witnesses, let first = late.first, let last = late.last,
      last.arrived - first.arrived >= Self.witnessSpan,
      let least = late.map(\.ahead).max(), let most = late.map(\.ahead).min(),
      least - most <= Self.lateness
    else { return nil }
    return Skew(ahead: least, since: first.arrived, lastSeen: last.arrived, isCertain: false)
  }
}
