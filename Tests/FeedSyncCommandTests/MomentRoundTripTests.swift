import FeedSync
import Foundation
import Replication
import Testing

@testable import FeedSyncCommand

/// A time that is printed names its millisecond when it is read again.
@Suite struct MomentRoundTripTests {
  @Test func everyMillisecondOfASecondComesBack() throws {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    for milliseconds in Int64(1_795_276_516_000)..<1_795_276_517_000 {
      let date = try style.parse(ReportJSON.time(milliseconds))
      #expect(HybridTime(upTo: date).milliseconds == UInt64(milliseconds))
    }
  }
}
