import FeedReading
import Testing

@testable import FeedFetching

@Suite struct CacheDirectivesTests {
  private func directives(_ fields: (name: String, value: String)...) -> CacheDirectives {
    CacheDirectives(HTTPFields(fields), now: Fetching.now)
  }

  @Test(
    arguments: [
      ("max-age=600", 600), ("public, Max-Age=\"600\"", 600), ("max-age=600, max-age=9", 600),
      ("no-cache", 0), ("no-store, max-age=600", 0), ("max-age=-1", 0), ("max-age=soon", 0),
      ("max-age=99999999999999999999999", 315_360_000), ("private", nil), ("s-maxage=5", nil),
      ("", nil),
    ] as [(String, Int?)])
  func cacheControlSaysHowLongItIsFresh(text: String, seconds: Int?) {
    #expect(directives((name: "Cache-Control", value: text)).freshSeconds == seconds)
  }

  @Test func whatACacheHadItForIsTakenOff() {
    let fresh = directives(
      (name: "cache-control", value: "max-age=600"), (name: "age", value: "200"))
    #expect(fresh.freshSeconds == 400)
    let stale = directives(
      (name: "cache-control", value: "max-age=600"), (name: "age", value: "9999"))
    #expect(stale.freshSeconds == 0)
  }

  @Test func expiresCountsFromTheServersClock() {
    let expires = (name: "Expires", value: "Mon, 01 Jan 2024 02:00:00 GMT")
    let date = (name: "Date", value: "Mon, 01 Jan 2024 01:30:00 GMT")
    #expect(directives(expires).freshSeconds == 7_200)
    #expect(directives(expires, date).freshSeconds == 1_800)
    #expect(directives(expires, (name: "cache-control", value: "max-age=5")).freshSeconds == 5)
    #expect(directives((name: "expires", value: "0")).freshSeconds == 0)
    #expect(directives((name: "expires", value: "-1")).freshSeconds == 0)
    #expect(directives((name: "expires", value: "Sun, 06 Nov 1994 08:49:37 GMT")).freshSeconds == 0)
  }

  @Test func retryAfterIsSecondsOrATimeInThreeForms() {
    #expect(directives((name: "Retry-After", value: "120")).retryAfterSeconds == 120)
    for time in [
      "Mon, 01 Jan 2024 00:10:00 GMT", "Monday, 01-Jan-24 00:10:00 GMT",
      "Mon Jan  1 00:10:00 2024",
    ] {
      #expect(directives((name: "Retry-After", value: time)).retryAfterSeconds == 600, "\(time)")
    }
    #expect(directives((name: "Retry-After", value: "later")).retryAfterSeconds == nil)
    #expect(
      directives((name: "Retry-After", value: "Sun, 31 Dec 2023 00:00:00 GMT")).retryAfterSeconds
        == 0)
  }

  @Test func noStoreForbidsKeeping() {
    #expect(!directives((name: "Cache-Control", value: "no-store")).mayBeStored)
    #expect(directives((name: "Cache-Control", value: "no-cache")).mayBeStored)
  }
}
