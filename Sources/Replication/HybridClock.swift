/// A moment of the hybrid logical clock: 48 bits of milliseconds and a 16-bit counter below them.
///
/// The counter carries into the milliseconds, so that a burst of writes within one millisecond
/// never wraps (protocol.md 3).
///
///     HybridTime(milliseconds: 1_700_000_000_000) < HybridTime(rawValue: .max)  // true
package struct HybridTime: Hashable, Comparable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// A moment at `milliseconds` since 1970; what lies outside 1970…9999 is brought to its border.
  package init(milliseconds: Int64, counter: UInt16 = 0) {
    let bounded = UInt64(clamping: max(0, milliseconds))
    let inRange = min(bounded, Self.latestMilliseconds)
    rawValue = inRange << 16 | UInt64(counter)
  }

  /// Milliseconds since 1970.
  package var milliseconds: UInt64 { rawValue >> 16 }

  /// The last millisecond of the year 9999; a segment with a later stamp is damaged.
  package static let latestMilliseconds: UInt64 = 253_402_300_799_999

  /// The greatest moment that a valid stamp can have.
  package static let latest = HybridTime(rawValue: latestMilliseconds << 16 | 0xFFFF)

  package static let zero = HybridTime(rawValue: 0)

  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The clock that stamps local transactions, later than all that was seen (protocol.md 3).
///
///     var clock = HybridClock(latest: .zero)
///     clock.merge(imported)
///     let next = clock.tick(wallMilliseconds: now)  // greater than `imported`, whatever `now` is
package struct HybridClock: Sendable {
  /// The greatest moment given out or merged.
  package private(set) var latest: HybridTime

  package init(latest: HybridTime) { self.latest = latest }

  /// Takes over a moment seen in an import, however far ahead of the wall clock it is.
  package mutating func merge(_ seen: HybridTime) { latest = max(latest, seen) }

  /// The moment of the next transaction, or nil where the year 9999 is used up.
  ///
  /// Nil is only reachable after importing a stamp at the very end of that year: a write that
  /// others would have to refuse must not be acknowledged.
  package mutating func tick(wallMilliseconds: Int64) -> HybridTime? {
    tick(wall: HybridTime(milliseconds: wallMilliseconds))
  }

  /// As ``tick(wallMilliseconds:)``, for a wall clock that counts more finely.
  package mutating func tick(wall: HybridTime) -> HybridTime? {
    guard latest < .latest else { return nil }
    let next = HybridTime(rawValue: latest.rawValue + 1)
    // A wall clock at the end of all years, or behind it, is wrong. To follow it would leave
    // nobody, on any device, a moment to write at.
    latest = wall.milliseconds < HybridTime.latestMilliseconds ? max(wall, next) : next
    return latest
  }
}
