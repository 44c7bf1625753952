import Testing

@testable import FeedFetching

@Suite struct RedirectTrailTests {
  private func trail(_ url: String, _ policy: RedirectPolicy = RedirectPolicy()) throws
    -> RedirectTrail
  {
    RedirectTrail(from: try FeedAddress(url), policy: policy)
  }

  @Test func onlyTheLeadingPermanentRedirectsMoveTheFeed() throws {
    for (statuses, moved) in [
      ([301], "http://e.org/1"), ([308, 301], "http://e.org/2"), ([302, 301], nil),
      ([301, 307, 301], "http://e.org/1"), ([303], nil), ([307], nil),
    ] as [([Int], String?)] {
      var trail = try trail("http://e.org/")
      for (index, status) in statuses.enumerated() {
        _ = trail.redirect(status: status, location: "/\(index + 1)")
      }
      #expect(trail.moved?.url == moved, "\(statuses)")
      #expect(trail.current.url == "http://e.org/\(statuses.count)")
      #expect(trail.isPermanent == statuses.allSatisfy { $0 == 301 || $0 == 308 })
    }
  }

  @Test func aCircleIsNoticedAtOnce() throws {
    var trail = try trail("http://e.org/a")
    _ = trail.redirect(status: 302, location: "/b")
    #expect(trail.redirect(status: 302, location: "a#x") == .stop(.redirectLoop))
  }

  @Test func thereIsALimit() throws {
    var policy = RedirectPolicy()
    policy.limit = 3
    var trail = try trail("http://e.org/0", policy)
    for number in 1...3 {
      guard case .follow = trail.redirect(status: 302, location: "/\(number)") else {
        Issue.record("stopped at \(number)")
        return
      }
    }
    #expect(
      trail.redirect(status: 302, location: "/4") == .stop(.tooManyRedirects(limit: 3)))
  }

  @Test func fromHTTPSToHTTPIsFollowedOnlyWhereSomebodySaysSoAndNeverMoves() throws {
    var careful = try trail("https://e.org/feed")
    let target = "http://e.org/feed"
    #expect(
      careful.redirect(status: 301, location: target) == .stop(.redirectToInsecure(target)))
    var policy = RedirectPolicy()
    policy.followsToInsecure = true
    var trusting = try trail("https://e.org/feed", policy)
    #expect(
      trusting.redirect(status: 301, location: target) == .follow(try FeedAddress(target)))
    #expect(trusting.moved == nil)
  }

  @Test func whatLeadsNowhereOrOffTheWebIsRefused() throws {
    for location in [nil, "file:///etc/passwd", "data:text/xml,x", "http://"] {
      var trail = try trail("http://e.org/")
      #expect(
        trail.redirect(status: 301, location: location) == .stop(.badRedirect(status: 301)))
    }
  }
}
