import Replication
import Testing

/// What can be known of another device's clock (lesson 13: wall clocks lie).
@Suite("A device's clock") struct ClockReadingTests {
  private static let minute: Int64 = 60_000
  private static let hour: Int64 = 60 * minute
  private static let day: Int64 = 24 * hour
  private static let start: Int64 = 1_767_225_600_000

  /// The history of times that arrive at these moments, in minutes, this much ahead.
  private static func history(
    _ readings: [(minute: Int64, ahead: Int64, isBorrowed: Bool)]
  ) -> ClockHistory {
    var history = ClockHistory()
    for reading in readings {
      let now = start + reading.minute * minute
      let time = HybridTime(
        milliseconds: now + reading.ahead, counter: reading.isBorrowed ? 1 : 0)
      _ = history.note(ClockReading(of: time, now: now))
    }
    return history
  }

  @Test("is right if what it writes takes a while to arrive, whatever while")
  func right() {
    #expect(Self.history([]).skew == nil)
    #expect(Self.history([(0, -5_000, false), (20, -9_000, false)]).skew == nil)
    // A laptop that was asleep for a week, and brings what it wrote on each day.
    #expect(
      Self.history([
        (0, -7 * Self.day, false), (20, -5 * Self.day, false), (40, -3 * Self.day, false),
      ]).skew == nil)
    // The whole past of a device, read by one that has just joined.
    #expect(
      Self.history([
        (0, -100 * Self.day, false), (6, -98 * Self.day, false), (12, -97 * Self.day, false),
      ]).skew == nil)
    // A second of difference is nothing.
    #expect(Self.history([(0, 1_000, false)]).skew == nil)
  }

  @Test("is ahead if a single time comes from the future", arguments: [day, 365 * day])
  func ahead(by offset: Int64) throws {
    let history = Self.history([(0, -1_000, false), (5, offset, false), (90, offset - 10, false)])
    let skew = try #require(history.skew)
    #expect(skew.isCertain)
    #expect(skew.ahead == offset - 10)
    #expect(skew.since == Self.start + 5 * Self.minute)
    #expect(skew.lastSeen == Self.start + 90 * Self.minute)
  }

  @Test("is not blamed for a time that it has borrowed from another's")
  func borrowed() {
    #expect(Self.history([(0, Self.day, true), (30, Self.day, true)]).skew == nil)
    // Nor does a borrowed time acquit it.
    let ahead = Self.history([(0, Self.day, false), (30, Self.day - 30 * Self.minute, true)])
    #expect(ahead.skew?.ahead == Self.day)
  }

  @Test("is right again once it has been set")
  func mended() {
    #expect(Self.history([(0, Self.day, false), (3_000, -2_000, false)]).skew == nil)
    // It goes on from the greatest time given out until that is past.
    #expect(Self.history([(0, Self.day, false), (3_000, -2_000, true)]).skew == nil)
  }

  @Test("is taken to be behind if one thing after another is late by the same")
  func behind() throws {
    let late = Self.history([
      (0, -Self.day, false), (15, -Self.day - 4_000, false), (40, -Self.day - 2_000, false),
    ])
    let skew = try #require(late.skew)
    #expect(skew.ahead == -Self.day)
    #expect(!skew.isCertain)
    #expect(skew.since == Self.start)
    // Two are no proof, nor are three within a minute or two.
    #expect(Self.history([(0, -Self.day, false), (15, -Self.day, false)]).skew == nil)
    #expect(
      Self.history([(0, -Self.day, false), (2, -Self.day, false), (4, -Self.day, false)]).skew
        == nil)
    // What came in time between them shows that it can.
    #expect(
      Self.history([
        (0, -Self.day, false), (15, -Self.day, false), (20, -1_000, false), (40, -Self.day, false),
      ]).skew == nil)
  }

  @Test("is witnessed by a burst once, by the least delayed of it")
  func burst() {
    var history = ClockHistory()
    for second in 0..<50 {
      let now = Self.start + Int64(second) * 1_000
      _ = history.note(
        ClockReading(of: HybridTime(milliseconds: now - Int64(50 - second) * 100), now: now))
    }
    #expect(history.readings.map(\.arrived) == [Self.start])
    #expect(history.readings.map(\.ahead) == [-100])
  }

  @Test("leaves few readings behind, and none from this machine's future")
  func bounded() {
    var history = Self.history((0..<40).map { ($0 * 10, -1_000, false) })
    #expect(history.readings.count == 8)
    // This machine's clock has been set back.
    let now = Self.start - Self.day
    _ = history.note(ClockReading(of: HybridTime(milliseconds: now - 500), now: now))
    #expect(history.readings.map(\.arrived) == [now])
  }
}
