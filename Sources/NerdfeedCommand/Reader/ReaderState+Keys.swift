import FeedLibrary

extension ReaderState {
  mutating func press(_ key: Key) -> [ReaderAction] {
    switch key {
    case .control("c"): return [.quit]
    case .control("z"): return [.suspend]
    case .control("l"): return [.redraw]
    default: break
    }
    if prompt != nil { return type(key) }
    switch view {
    case .list: return pressInList(key)
    case .article: return pressInArticle(key)
    case .help:
      view = viewBehindHelp
      return []
    }
  }

  /// What is the same in all views.
  private mutating func pressAnywhere(_ key: Key) -> [ReaderAction] {
    switch key {
    case .character("m"), .character("N"): return toggleRead()
    case .character("s"): return toggleStar()
    case .character("o"): return browse()
    case .character("r"):
      guard progress == nil else { break }
      progress = "fetching …"
      return [.fetch]
    case .character("?"):
      (viewBehindHelp, view) = (view, .help)
    case .character("/"):
      (view, opening) = (.list, nil)
      prompt = ""
    default: break
    }
    return []
  }

  private mutating func browse() -> [ReaderAction] {
    guard let line = window.current, let link = line.link, link.isOnTheWeb else {
      message = "the item has no web page"
      return []
    }
    let marks = markRead()
    if !marks.isEmpty { browsing.insert(line.reference) }
    return [.browse(line.reference, link: link)] + marks
  }

  /// What was marked as read for the sake of its page has not been, unless it was marked since.
  mutating func notBrowsed(_ reference: ItemReference, _ text: String) -> [ReaderAction] {
    message = text
    return browsing.contains(reference) ? mark(reference, .read(false)) : []
  }

  // MARK: The list

  private mutating func pressInList(_ key: Key) -> [ReaderAction] {
    switch key {
    case .character("j"), .down: move(by: 1)
    case .character("k"), .up: move(by: -1)
    case .pageDown, .character(" "), .control("f"): move(by: contentRows)
    case .pageUp, .control("b"): move(by: -contentRows)
    case .control("d"): move(by: contentRows / 2)
    case .control("u"): move(by: -contentRows / 2)
    case .character("g"), .home: return toStart()
    case .character("G"), .end: return toEnd()
    case .character("n"): return seek(forward: true, opening: false)
    case .character("p"): return seek(forward: false, opening: false)
    case .enter, .character("l"), .right: return openSelected()
    case .character("u"):
      var other = filter
      other.isRead = filter.isRead == nil ? false : nil
      return show(other)
    case .character("h"), .left, .escape: return leaveSearch()
    case .character("q"): return filter.words == nil ? [.quit] : leaveSearch()
    default: return pressAnywhere(key)
    }
    return []
  }

  /// Goes so far, or as far as there is something, and the rest when more has come.
  mutating func move(by count: Int) {
    let wanted = window.selected + owedLines + count
    window.select(wanted)
    window.scroll(rows: contentRows)
    let rest = wanted - window.selected
    let isOwed = rest > 0 && !window.hasEnd || rest < 0 && !window.hasStart
    let most = 10 * contentRows
    owedLines = isOwed ? max(-most, min(rest, most)) : 0
  }

  private mutating func toStart() -> [ReaderAction] {
    guard window.hasStart else { return restart(.replace) }
    move(by: -window.lines.count)
    return []
  }

  private mutating func toEnd() -> [ReaderAction] {
    guard window.hasEnd else { return restart(.last) }
    move(by: window.lines.count)
    return []
  }

  private mutating func leaveSearch() -> [ReaderAction] {
    guard filter.words != nil else { return [] }
    var all = filter
    all.words = nil
    return show(all)
  }

  private mutating func type(_ key: Key) -> [ReaderAction] {
    guard let words = prompt else { return [] }
    switch key {
    case .character(let character): prompt = String((words + String(character)).prefix(200))
    case .backspace:
      prompt = words.isEmpty ? nil : String(words.dropLast())
    case .control("u"): prompt = ""
    case .escape: prompt = nil
    case .enter:
      prompt = nil
      var found = filter
      found.words = words.allSatisfy(\.isWhitespace) ? nil : words
      return found == filter ? [] : show(found)
    default: break
    }
    return []
  }

  // MARK: An article

  private mutating func pressInArticle(_ key: Key) -> [ReaderAction] {
    switch key {
    case .character("j"), .down, .enter: scrollArticle(by: 1)
    case .character("k"), .up: scrollArticle(by: -1)
    case .pageDown, .character(" "), .control("f"): scrollArticle(by: contentRows)
    case .pageUp, .control("b"): scrollArticle(by: -contentRows)
    case .control("d"): scrollArticle(by: contentRows / 2)
    case .control("u"): scrollArticle(by: -contentRows / 2)
    case .character("g"), .home: scrollArticle(by: -1_000_000)
    case .character("G"), .end: scrollArticle(by: 1_000_000)
    case .character("n"): return seek(forward: true, opening: true)
    case .character("p"): return seek(forward: false, opening: true)
    case .character("h"), .character("q"), .left, .escape:
      (article, opening) = (nil, nil)
      view = .list
    default: return pressAnywhere(key)
    }
    return []
  }

  mutating func scrollArticle(by count: Int) {
    guard var open = article else { return }
    open.top = max(0, min(open.top + count, open.lines.count - contentRows))
    article = open
  }

  /// Shows an item that came; it has been read thereby.
  mutating func open(_ article: Article) -> [ReaderAction] {
    // Another one may have been selected meanwhile, or something else asked for.
    guard opening == article.reference, window.current?.reference == article.reference else {
      return []
    }
    opening = nil
    self.article = OpenArticle(
      article: article, lines: ArticleText.wrapped(article.text, columns: columns))
    browsing.remove(article.reference)
    if view == .help { viewBehindHelp = .article } else { view = .article }
    return markRead()
  }
}

extension String {
  /// Nothing that is no page is handed to a program of the desktop's choice.
  var isOnTheWeb: Bool {
    let start = prefix(8).lowercased()
    return start.hasPrefix("http://") || start == "https://"
  }
}
