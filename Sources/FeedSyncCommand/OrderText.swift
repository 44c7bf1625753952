import FeedSync

/// What gives an order, and in which direction, as it is typed: `date`, `date:asc` or `date:desc`.
struct OrderText {
  /// Without the direction.
  let name: String
  let isDescending: Bool
  /// What stands behind the last colon and is no direction.
  let unknownDirection: String?

  init(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else {
      (name, isDescending, unknownDirection) = (text, false, nil)
      return
    }
    let direction = String(text[text.index(after: colon)...])
    let isKnown = ["asc", "desc"].contains(direction)
    name = isKnown ? String(text[..<colon]) : text
    isDescending = direction == "desc"
    unknownDirection = isKnown ? nil : direction
  }

  /// Refuses what may be meant as a direction: a name with a colon has one behind it.
  func requireDirection(operation: String) throws {
    guard let unknownDirection else { return }
    let meant = name.dropLast(unknownDirection.count + 1)
    throw FeedSyncError(
      .usage, operation: operation, message: "'\(unknownDirection)' is no direction of an order",
      hint: "write '\(meant):asc' or '\(meant):desc'; a name that has a colon has a direction"
        + " behind it: '\(name):asc'")
  }
}
