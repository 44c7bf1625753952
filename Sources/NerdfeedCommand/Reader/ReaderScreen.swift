import FeedLibrary

/// A line of the screen.
struct ScreenLine: Equatable, Sendable {
  enum Style: Sendable {
    case plain
    case bold
    case selected
    case bar
  }

  let text: String
  var style = Style.plain
}

/// Draws what the reader shows, as lines.
///
///     ReaderScreen.lines(of: state).count == state.rows
///
/// No line is wider than the terminal, and none has anything in it that would drive it.
enum ReaderScreen {
  static func lines(of state: ReaderState) -> [ScreenLine] {
    guard state.rows > 0, state.columns > 0 else { return [] }
    var content = self.content(of: state)
    let blank = ScreenLine(text: "")
    content += Array(repeating: blank, count: max(0, state.contentRows - content.count))
    let all = [bar(title(of: state), state)] + content + [bar(footer(of: state), state)]
    return Array(all.prefix(state.rows))
  }

  private static func bar(_ text: String, _ state: ReaderState) -> ScreenLine {
    ScreenLine(text: CellText.padded(text, columns: state.columns), style: .bar)
  }

  private static func title(of state: ReaderState) -> String {
    if state.view == .help { return " nerdfeed: keys" }
    let shown = state.shown
    var text = " nerdfeed: " + (shown.isRead == false ? "unread items" : "all items")
    if shown.isStarred == true { text += " with a star" }
    if let tag = shown.tag { text += " #\(TerminalText.line(tag))" }
    if let words = shown.words { text += " with '\(TerminalText.line(words))'" }
    if shown.feeds != nil {
      // Who asked for it named one.
      let title = state.window.lines.first.map { TerminalText.line($0.feedTitle) }
      text += " of " + (title ?? "one feed")
    }
    let isPart = shown.feeds != nil || shown.tag != nil || shown.isStarred == true
    if let count = state.unreadCount { text += " · \(count) unread" + (isPart ? " in all" : "") }
    if state.importProblem != nil { text += " · nothing arrives" }
    return text
  }

  private static func footer(of state: ReaderState) -> String {
    if let prompt = state.prompt { return "/" + TerminalText.line(prompt) + "▏" }
    if let message = state.message { return " " + TerminalText.line(message) }
    if let progress = state.progress { return " " + TerminalText.line(progress) }
    switch state.view {
    case .list:
      return " j k move · Enter open · n p unread · m read · s star · / find · ? help · q quit"
    case .article:
      return " j k scroll · n p next, previous unread · o browser · s star · h back · ? help"
    case .help: return " any key goes back"
    }
  }

  private static func content(of state: ReaderState) -> [ScreenLine] {
    switch state.view {
    case .list: list(state)
    case .article: article(state)
    case .help:
      ReaderHelp.lines.prefix(state.contentRows).map {
        ScreenLine(text: CellText.fitted($0, columns: state.columns))
      }
    }
  }

  private static func list(_ state: ReaderState) -> [ScreenLine] {
    guard !state.window.lines.isEmpty else {
      let text = state.isLoaded ? " Nothing here. 'r' fetches the feeds that are due." : " …"
      return [ScreenLine(text: CellText.fitted(text, columns: state.columns))]
    }
    let window = state.window
    let shown = window.lines.indices.dropFirst(window.top).prefix(state.contentRows)
    return shown.map { index in
      let line = window.lines[index]
      let text = self.text(of: line, columns: state.columns)
      guard index != window.selected else {
        return ScreenLine(
          text: CellText.padded(text, columns: state.columns), style: .selected)
      }
      return ScreenLine(text: text, style: line.isRead ? .plain : .bold)
    }
  }

  static func text(of line: ItemLine, columns: Int) -> String {
    let marks = (line.isRead ? " " : "N") + (line.isStarred ? "*" : " ")
    let title = TerminalText.line(line.title ?? line.link ?? "(no title)")
    let tags = line.tags.map { " #" + TerminalText.line($0) }.joined()
    var text = " \(marks) "
    if columns >= 60 {
      text += "\(line.date.text.prefix(10))  "
      text += CellText.padded(TerminalText.line(line.feedTitle), columns: columns / 5) + "  "
    }
    return CellText.fitted(text + title + tags, columns: columns)
  }

  private static func article(_ state: ReaderState) -> [ScreenLine] {
    guard let open = state.article else { return [] }
    return open.lines.enumerated().dropFirst(open.top).prefix(state.contentRows).map {
      ScreenLine(
        text: CellText.fitted($0.element, columns: state.columns),
        style: $0.offset == 0 ? .bold : .plain)
    }
  }
}

/// What the keys do.
enum ReaderHelp {
  static let lines = [
    "",
    "  j, k, arrows      next, previous item; in an article: line",
    "  Space, PageDown   next page; PageUp, Ctrl-B the one before",
    "  Ctrl-D, Ctrl-U    half a page",
    "  g, G              first, last",
    "  Enter, l          open the item, which marks it as read",
    "  h, q, Esc         back; q in the list ends nerdfeed",
    "  n, p              next, previous unread item",
    "  m                 mark as read or unread",
    "  s                 give a star, or take it",
    "  o                 open the page in the browser",
    "  u                 only unread items, or all",
    "  /                 search; Esc shows all again",
    "  r                 fetch the feeds that are due",
    "  Ctrl-L            draw the screen anew",
  ]
}
