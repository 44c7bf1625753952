import FeedLibrary

/// The part of the list that is in memory, and what of it is on the screen.
///
/// However long the list is, only some pages of it are here; more come before they are needed.
struct ItemWindow: Sendable {
  /// More are let go of on the side that is further away.
  static let most = 2_000

  private(set) var lines: [ItemLine] = []
  /// Whether the first line is the first of the list, and the last its last.
  private(set) var hasStart = true
  private(set) var hasEnd = true
  private(set) var selected = 0
  private(set) var top = 0

  var current: ItemLine? { lines.indices.contains(selected) ? lines[selected] : nil }

  /// Puts a page in place of all.
  mutating func replace(_ page: [ItemLine], hasStart: Bool, hasEnd: Bool, atEnd: Bool = false) {
    (lines, self.hasStart, self.hasEnd) = (page, hasStart, hasEnd)
    selected = atEnd ? max(0, page.count - 1) : 0
    top = 0
  }

  /// Puts what was read again in place of all; what is selected stays so, even if it is not in the
  /// list any more, so that the next one is still the next.
  ///
  /// - returns: False if what is selected by now is not around there; then nothing has changed.
  mutating func reload(_ page: [ItemLine], from start: ItemPlace?, hasEnd: Bool) -> Bool {
    let former = current
    if let former {
      let isInFront = start.map { !Self.isBefore($0, former.place) } ?? false
      let isBehind = !hasEnd && page.last.map { Self.isBefore($0.place, former.place) } ?? false
      if isInFront || isBehind { return false }
    }
    let hasStart = start == nil
    let offset = selected - top
    let wasAtTop = selected == 0 && self.hasStart
    var page = page
    var place = former.flatMap { line in page.firstIndex { $0.number == line.number } }
    if place == nil, let former {
      let index = page.firstIndex { Self.isBefore(former.place, $0.place) } ?? page.count
      if index < page.count || hasEnd {
        page.insert(former, at: index)
        place = index
      }
    }
    (lines, self.hasStart, self.hasEnd) = (page, hasStart, hasEnd)
    selected = place ?? min(selected, max(0, page.count - 1))
    // News push the list down, and are seen if its beginning is.
    top = wasAtTop ? 0 : max(0, selected - offset)
    return true
  }

  private static func isBefore(_ one: ItemPlace, _ other: ItemPlace) -> Bool {
    (one.date, one.number) > (other.date, other.number)
  }

  mutating func append(_ page: [ItemLine], hasEnd: Bool) {
    let known = Set(lines.map(\.number))
    lines += page.filter { !known.contains($0.number) }
    self.hasEnd = hasEnd
    let excess = min(lines.count - Self.most, top)
    guard excess > 0 else { return }
    lines.removeFirst(excess)
    hasStart = false
    (selected, top) = (selected - excess, top - excess)
  }

  mutating func prepend(_ page: [ItemLine], hasStart: Bool, rows: Int) {
    let known = Set(lines.map(\.number))
    let news = page.filter { !known.contains($0.number) }
    lines = news + lines
    self.hasStart = hasStart
    (selected, top) = (selected + news.count, top + news.count)
    let excess = min(lines.count - Self.most, lines.count - max(selected, top + rows) - 1)
    guard excess > 0 else { return }
    lines.removeLast(excess)
    hasEnd = false
  }

  mutating func select(_ index: Int) {
    selected = max(0, min(index, lines.count - 1))
  }

  /// Moves what is shown so that what is selected is.
  mutating func scroll(rows: Int) {
    guard rows > 0 else { return }
    top = min(top, selected)
    top = max(top, selected - rows + 1)
    if hasEnd { top = min(top, max(0, lines.count - rows)) }
  }

  mutating func change(_ references: Set<ItemReference>, _ mark: ItemMark) {
    for index in lines.indices where references.contains(lines[index].reference) {
      lines[index].apply(mark)
    }
  }

  /// The next line on one side that is unread.
  func unread(forward: Bool) -> Int? {
    let indexes = forward ? Array(lines.indices.dropFirst(selected + 1)) : []
    return forward
      ? indexes.first { !lines[$0].isRead }
      : lines.indices.prefix(selected).last { !lines[$0].isRead }
  }
}

extension ItemLine {
  /// As it is with a mark that is on its way.
  mutating func apply(_ mark: ItemMark) {
    switch mark {
    case .read(let isRead): self.isRead = isRead
    case .starred(let isStarred): self.isStarred = isStarred
    case .tagged: break
    }
  }
}
