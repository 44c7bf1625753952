import FeedLibrary

/// What the full-screen reader shows, and what it does about what it hears.
///
/// It decides and does nothing: the actions that it returns are done by ``ReaderLoop``, and what
/// comes of them are events again. So the reader never waits, whatever a disk or a server does.
///
///     var state = ReaderState(rows: 24, columns: 80)
///     perform(state.begin())
///     perform(state.handle(.key(.character("j"))))
struct ReaderState: Sendable {
  enum View: Equatable, Sendable {
    case list
    case article
    case help
  }

  /// An item that is open, in lines.
  struct OpenArticle: Equatable, Sendable {
    let article: Article
    var lines: [String]
    var top = 0
  }

  var rows: Int
  var columns: Int
  var view = View.list
  /// Where help was asked for.
  var viewBehindHelp = View.list
  var window = ItemWindow()
  /// What the user wants to see; the list of it may be on its way.
  var filter: ItemQuery
  /// What is in the window.
  private(set) var shown: ItemQuery
  var article: OpenArticle?
  /// The words of a search that are being typed; nil if none are.
  var prompt: String?
  var message: String?
  var progress: String?
  var unreadCount: Int?
  /// Why nothing arrives of what other machines did; nil if it does.
  var importProblem: String?
  var isLoaded = false

  private(set) var generation = 0
  /// Whether a part of the list is on its way: the next one is asked for when it is known what is
  /// there by then.
  private var isLoading = false
  /// How many lines the user has gone beyond what is there, while more is on its way.
  var owedLines = 0
  private var mustReload = false
  /// Whether what is sought is opened when it is found.
  private var opensSought = false
  /// The item that is on its way to be shown, as long as the user waits for it.
  var opening: ItemReference?
  /// The items that were marked as read since their pages are shown, and not marked since.
  var browsing: Set<ItemReference> = []
  private var tickets = 0
  private var pending: [Int: (items: Set<ItemReference>, mark: ItemMark)] = [:]

  init(rows: Int, columns: Int, filter: ItemQuery = ItemQuery()) {
    (self.rows, self.columns, self.filter, shown) = (rows, columns, filter, filter)
  }

  /// The lines between the first and the last one.
  var contentRows: Int { max(1, rows - 2) }
  private var pageSize: Int { max(60, 5 * contentRows) }

  mutating func begin() -> [ReaderAction] { restart(.replace) + [.count] }

  mutating func handle(_ event: ReaderEvent) -> [ReaderAction] {
    switch event {
    case .key(let key):
      message = nil
      return press(key) + prefetch()
    case .resized(let rows, let columns): return resize(rows: rows, columns: columns)
    case .page(let request, let lines):
      guard request.generation == generation else { return [] }
      return take(request, lines) + prefetch()
    case .failed(let request, let text):
      message = text
      if request.generation == generation, !request.isSeeking { isLoading = false }
    case .article(let article): return open(article)
    case .notOpened(let reference, let text): notOpened(reference, text)
    case .notBrowsed(let reference, let text): return notBrowsed(reference, text)
    case .marked(let ticket):
      pending[ticket] = nil
      return [.count]
    case .changed: return reload() + [.count]
    case .counted(let unread): unreadCount = unread
    case .fetching(let text): progress = text
    case .notImporting(let problem):
      if message == importProblem { message = nil }
      (importProblem, message) = (problem, problem ?? message)
    case .message(let text): message = text
    case .markFailed(let error): message = error.words
    case .suspended: return [.suspend]
    case .resumed: return [.redraw]
    case .end: return [.quit]
    }
    return []
  }

  private mutating func resize(rows: Int, columns: Int) -> [ReaderAction] {
    (self.rows, self.columns) = (rows, columns)
    if let open = article {
      // What was in the middle of a long article stays about there.
      let share = Double(open.top) / Double(max(1, open.lines.count))
      let lines = ArticleText.wrapped(open.article.text, columns: columns)
      article?.lines = lines
      article?.top = Int(share * Double(lines.count))
      scrollArticle(by: 0)
    }
    window.scroll(rows: contentRows)
    return [.redraw] + prefetch()
  }
}

// MARK: - Pages

extension ReaderState {
  /// Asks for a part of the list.
  func load(_ kind: PageRequest.Kind) -> ReaderAction {
    var query = filter
    query.limit = pageSize
    switch kind {
    case .replace, .jump: break
    case .last: query.isFromEnd = true
    case .behind: query.behind = window.lines.last?.place
    case .inFront:
      query.inFrontOf = window.lines.first?.place
      query.isFromEnd = true
    case .seek(let forward):
      (query.isRead, query.limit, query.isFromEnd) = (false, 1, !forward)
      if forward {
        query.behind = window.current?.place
      } else {
        query.inFrontOf = window.current?.place
      }
    case .reload:
      // What is on the screen and around it; the rest comes again when it is needed.
      let first = max(0, window.top - 2 * contentRows)
      if first > 0 || !window.hasStart, window.lines.indices.contains(first) {
        query.behind = window.lines[first].place.inclusive
      }
    }
    return .load(PageRequest(kind: kind, query: query, generation: generation))
  }

  /// Begins another list.
  mutating func show(_ filter: ItemQuery) -> [ReaderAction] {
    self.filter = filter
    return restart(.replace) + [.count]
  }

  mutating func restart(_ kind: PageRequest.Kind) -> [ReaderAction] {
    generation += 1
    (isLoading, mustReload, owedLines, opensSought) = (true, false, 0, false)
    opening = nil
    return [load(kind)]
  }

  private mutating func take(_ request: PageRequest, _ page: [ItemLine]) -> [ReaderAction] {
    let lines = page.map(withPending)
    let isWhole = lines.count < request.query.limit ?? .max
    isLoaded = true
    if !request.isSeeking { isLoading = false }
    var actions: [ReaderAction] = []
    switch request.kind {
    case .replace:
      shown = filter
      window.replace(lines, hasStart: true, hasEnd: isWhole)
    case .last:
      shown = filter
      window.replace(lines, hasStart: isWhole, hasEnd: true, atEnd: true)
    case .behind: window.append(lines, hasEnd: isWhole)
    case .inFront: window.prepend(lines, hasStart: isWhole, rows: contentRows)
    case .seek: return sought(lines.first)
    case .jump:
      shown = filter
      window.replace(lines, hasStart: false, hasEnd: isWhole)
      if opensSought { actions += openSelected() }
      opensSought = false
    case .reload:
      guard window.reload(lines, from: request.query.behind, hasEnd: isWhole) else {
        return reload(insteadOf: request)
      }
      shown = filter
    }
    if mustReload { actions += reload() }
    if owedLines != 0 { move(by: 0) }
    window.scroll(rows: contentRows)
    return actions
  }

  private func withPending(_ line: ItemLine) -> ItemLine {
    guard !pending.isEmpty else { return line }
    var line = line
    for (_, change) in pending.sorted(by: { $0.key < $1.key })
    where change.items.contains(line.reference) {
      line.apply(change.mark)
    }
    return line
  }

  private mutating func reload() -> [ReaderAction] {
    guard !isLoading else {
      mustReload = true
      return []
    }
    (isLoading, mustReload) = (true, false)
    return [load(.reload)]
  }

  /// Asks for what is around the user now; the same as before would come to the same.
  private mutating func reload(insteadOf request: PageRequest) -> [ReaderAction] {
    guard case .load(let next) = load(.reload), next.query != request.query else {
      // What is on its way to be opened comes too late now, and this is not it.
      opensSought = false
      return sought(window.current)
    }
    (isLoading, mustReload) = (true, false)
    return [.load(next)]
  }

  /// Asks for what will be needed if the user goes on.
  private mutating func prefetch() -> [ReaderAction] {
    // A list that could not be read is tried anew: more of it would not go with what is there.
    guard shown == filter else { return isLoading ? [] : restart(.replace) }
    let isNearEnd = window.selected + 3 * contentRows >= window.lines.count
    let isNearStart = window.selected < 3 * contentRows
    guard !isLoading, !window.hasEnd && isNearEnd || !window.hasStart && isNearStart else {
      return []
    }
    isLoading = true
    return [load(!window.hasEnd && isNearEnd ? .behind : .inFront)]
  }

  /// Goes to the next unread item, which may be far away.
  mutating func seek(forward: Bool, opening: Bool) -> [ReaderAction] {
    opensSought = false
    owedLines = 0
    if let index = window.unread(forward: forward) {
      window.select(index)
      window.scroll(rows: contentRows)
      return opening ? openSelected() : []
    }
    if forward ? window.hasEnd : window.hasStart {
      message = "no more unread items"
      return []
    }
    opensSought = opening
    return [load(.seek(forward: forward))]
  }

  private mutating func sought(_ line: ItemLine?) -> [ReaderAction] {
    guard let line else {
      message = "no more unread items"
      return []
    }
    generation += 1
    (isLoading, mustReload, owedLines) = (true, false, 0)
    var query = filter
    query.limit = pageSize
    query.behind = line.place.inclusive
    return [.load(PageRequest(kind: .jump, query: query, generation: generation))]
  }

  mutating func openSelected() -> [ReaderAction] {
    opening = window.current?.reference
    return window.current.map { [.open($0.reference, feedTitle: $0.feedTitle)] } ?? []
  }

  /// What the keys are about is in the list, and not the article that is still shown.
  private mutating func notOpened(_ reference: ItemReference, _ text: String) {
    message = text
    guard opening == reference else { return }
    (opening, article) = (nil, nil)
    if view == .article { view = .list }
    if viewBehindHelp == .article { viewBehindHelp = .list }
  }
}

// MARK: - Marks

extension ReaderState {
  /// Shows a mark at once, and has it made.
  mutating func mark(_ line: ItemLine?, _ mark: (ItemLine) -> ItemMark?) -> [ReaderAction] {
    guard let line, let wanted = mark(line) else { return [] }
    return self.mark(line.reference, wanted)
  }

  /// Shows a mark of an item at once, wherever it is, and has it made.
  mutating func mark(_ reference: ItemReference, _ wanted: ItemMark) -> [ReaderAction] {
    tickets += 1
    pending[tickets] = ([reference], wanted)
    if case .read(let isRead) = wanted {
      browsing.remove(reference)
      let isOther = window.lines.contains { $0.reference == reference && $0.isRead != isRead }
      if isOther { unreadCount = unreadCount.map { max(0, $0 + (isRead ? -1 : 1)) } }
    }
    window.change([reference], wanted)
    return [.mark([reference], wanted, ticket: tickets)]
  }

  mutating func toggleRead() -> [ReaderAction] { mark(window.current) { .read(!$0.isRead) } }

  mutating func toggleStar() -> [ReaderAction] {
    mark(window.current) { .starred(!$0.isStarred) }
  }

  mutating func markRead() -> [ReaderAction] {
    mark(window.current) { $0.isRead ? nil : .read(true) }
  }
}

extension ItemPlace {
  /// The place right in front of an item, so that the item itself is behind it.
  var inclusive: ItemPlace { ItemPlace(date: date, number: number + 1) }
}
