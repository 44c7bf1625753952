/// How redirects are followed.
public struct RedirectPolicy: Sendable, Equatable {
  /// How many are followed at most.
  public var limit = 10
  /// Whether one from `https` to `http` is followed; it never moves a subscription.
  ///
  /// It is not, unless somebody says so: whoever sits between could read and change the feed
  /// without the user, who asked for `https`, knowing.
  public var followsToInsecure = false

  /// The usual policy.
  public init() {}
}

/// The way from an address over redirects to where the answer is.
///
///     var trail = RedirectTrail(from: address)
///     trail.redirect(status: 301, location: "/new")   // .follow(…/new), and it moved there
struct RedirectTrail {
  /// What to do with a redirect.
  enum Step: Equatable {
    case follow(FeedAddress)
    case stop(FetchError.Cause)
  }

  let start: FeedAddress
  let policy: RedirectPolicy
  private(set) var current: FeedAddress
  /// Where the subscription has moved: the end of the leading 301s and 308s.
  private(set) var moved: FeedAddress?
  /// Whether each redirect so far was for ever.
  private(set) var isPermanent = true
  private var visited: Set<String>

  init(from start: FeedAddress, policy: RedirectPolicy = RedirectPolicy()) {
    (self.start, self.policy, current) = (start, policy, start)
    visited = [start.url]
  }

  static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

  mutating func redirect(status: Int, location: String?) -> Step {
    guard let location, let target = current.following(location) else {
      return .stop(.badRedirect(status: status))
    }
    let losesSafety = current.isSecure && !target.isSecure
    if losesSafety, !policy.followsToInsecure { return .stop(.redirectToInsecure(target.url)) }
    guard visited.insert(target.url).inserted else { return .stop(.redirectLoop) }
    guard visited.count - 1 <= policy.limit else {
      return .stop(.tooManyRedirects(limit: policy.limit))
    }
    if (status != 301 && status != 308) || losesSafety { isPermanent = false }
    if isPermanent { moved = target }
    current = target
    return .follow(target)
  }
}
