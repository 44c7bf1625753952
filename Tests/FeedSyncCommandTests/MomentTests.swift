import FeedSync
import FeedSyncCommand
import Foundation
import Replication
import Testing

@Suite("A moment in time") struct MomentTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  private static func seconds(_ text: String) throws -> Double {
    try Moment.parse(text, now: now, zone: berlin).timeIntervalSince1970
  }

  @Test(
    "is read from ISO 8601, by the local zone unless it names one",
    arguments: [
      ("2026-07-01T12:00:00Z", 1_782_907_200.0), ("2026-07-01 12:00:00Z", 1_782_907_200),
      ("2026-07-01T12:00:00.250Z", 1_782_907_200.25), ("2026-07-01T14:00+02:00", 1_782_907_200),
      ("2026-07-01T14:00", 1_782_907_200), ("2026-07-01T09:30:00-0230", 1_782_907_200),
      ("2026-01-01", 1_767_222_000), ("2026-01-01T00:00:00+01", 1_767_222_000),
    ])
  func absolute(text: String, expected: Double) throws {
    #expect(try Self.seconds(text) == expected)
  }

  @Test("is what printing a time gives, to the millisecond")
  func printed() throws {
    for offset in 0..<1000 {
      let milliseconds = Int64(1_782_907_200_000 + offset)
      let read = try Moment.parse(ReportJSON.time(milliseconds), now: Self.now)
      #expect(Int64((read.timeIntervalSince1970 * 1000).rounded()) == milliseconds)
      #expect(HybridTime(upTo: read).milliseconds == UInt64(milliseconds))
    }
  }

  @Test(
    "is read as how long ago it was",
    arguments: [
      ("0s", 0.0), ("90s", 90), ("15m", 900), ("2h", 7200), ("3d", 259_200), ("2w", 1_209_600),
    ])
  func relative(text: String, ago: Double) throws {
    #expect(try Self.seconds(text) == Self.now.timeIntervalSince1970 - ago)
  }

  @Test(
    "is refused where it is none",
    arguments: [
      "", "yesterday", "2026-13-01", "2026-02-30", "2026-01-01T24:00", "2026-01-01T00:60", "2h3m",
      "-2h", "2 h", "1.5h", "2026-01-01Z", "2026-01-01T10", "26-01-01", "2026-01-01T00:00+25:00",
    ])
  func refused(text: String) throws {
    let error = #expect(throws: FeedSyncError.self) { try Self.seconds(text) }
    #expect(error?.code == .usage)
    #expect(error?.hint?.contains("2026-11-20") == true)
  }
}
