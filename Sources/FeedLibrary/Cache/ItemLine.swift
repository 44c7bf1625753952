import FeedReading

/// A place in the list of items, which stays what it is while others come and go.
public struct ItemPlace: Sendable, Equatable {
  /// When the item there was published, or first seen.
  public let date: FeedInstant
  /// Its number on this machine.
  public let number: Int64

  /// A place by its parts.
  public init(date: FeedInstant, number: Int64) { (self.date, self.number) = (date, number) }
}

/// An item as it is listed: all of it but its bodies.
public struct ItemLine: Sendable, Equatable {
  /// Names it on this machine, in few digits.
  public let number: Int64
  /// Names it on every machine.
  public let reference: ItemReference
  /// What its feed is called.
  public internal(set) var feedTitle: String
  /// What it is called, in one line; nil if it has no title.
  public let title: String?
  /// Its page.
  public let link: String?
  /// When it was published, or first seen.
  public let date: FeedInstant
  /// Whether it has been read.
  public var isRead: Bool
  /// Whether it has a star.
  public var isStarred: Bool
  /// Its own tags.
  public internal(set) var tags: [String]

  /// Where it stands in a list.
  public var place: ItemPlace { ItemPlace(date: date, number: number) }
}
