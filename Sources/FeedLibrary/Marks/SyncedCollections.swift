/// The collections of the store that hold what is synced.
public enum SyncedCollections {
  /// What a program may put in front to keep several libraries in one container.
  static let prefix = "nerdfeed."
  /// A document for each feed: what is subscribed to, see ``Subscription``.
  public static let subscriptions = prefix + "feeds"
  /// A document for each feed that has moved: where it is, `to`, the address that its subscription
  /// has, `from`, how often it has moved, `moves`, and, where the address that somebody gave led to
  /// that of the subscription, the former, `home`.
  ///
  /// Apart from the subscription, which whoever follows a feed does not change: it would come back
  /// where another device has ended it meanwhile.
  public static let places = prefix + "places"
  /// A document for each feed and month, `FEED/2026-11`: a member for each item, 1 if it was marked
  /// as read, 0 if as unread.
  public static let read = prefix + "read"
  /// A document for each feed: a member 1 for each item with a star.
  ///
  /// Where it is full, `FEED/1` follows, and so on.
  public static let stars = prefix + "stars"
  /// A document for each feed: for each item with tags an object that has them as members.
  ///
  /// Where it is full, `FEED/1` follows, and so on; an item's tags may be in several.
  public static let tags = prefix + "tags"
  /// A document for each address that a feed has moved to, by the key that the address would give:
  /// a member 1 for the key that the feed has.
  public static let moves = prefix + "moves"
}
