import FeedReading

@testable import FeedLibrary
@testable import NerdfeedCommand

/// Items as a library has them, and a reader in front of them whose wishes are granted at once.
struct Shelf {
  var lines: [ItemLine]
  var state: ReaderState
  /// What was done besides loading pages and counting.
  private(set) var done: [ReaderAction] = []
  /// What is asked for is kept back while it is true.
  var isSlow = false
  /// What cannot be opened.
  var lost: Set<ItemReference> = []
  private var waiting: [ReaderAction] = []

  /// So many items, the latest has the number `count`; all unread, unless `isRead` says otherwise.
  init(_ count: Int, rows: Int = 12, isRead: (Int) -> Bool = { _ in false }) {
    lines = (0..<count).map { Self.line(count - $0, isRead: isRead(count - $0)) }
    state = ReaderState(rows: rows, columns: 80)
    perform(state.begin())
  }

  static func line(
    _ number: Int, isRead: Bool = false, title: String? = nil, minute: Int? = nil
  ) -> ItemLine {
    let digits = String(number)
    let key = String(repeating: "0", count: 8 - digits.count) + digits
    let reference = ItemReference("feed0000/\(key)")
    return ItemLine(
      number: Int64(number),
      reference: reference
        ?? ItemReference(FeedKey(address: "feed"), ItemKey(identity: digits)),
      feedTitle: "Feed", title: title ?? "Item \(number)", link: "https://e.org/\(number)",
      date: FeedInstant(secondsSince1970: Int64(minute ?? number) * 60), isRead: isRead,
      isStarred: false,
      tags: [])
  }

  mutating func press(_ keys: Key...) {
    for key in keys { send(.key(key)) }
  }

  mutating func type(_ text: String) { for character in text { press(.character(character)) } }

  mutating func send(_ event: ReaderEvent) { perform(state.handle(event)) }

  /// Grants what was kept back.
  mutating func catchUp() {
    isSlow = false
    let actions = waiting
    waiting = []
    perform(actions)
  }

  private mutating func perform(_ actions: [ReaderAction]) {
    for action in actions {
      if isSlow {
        waiting.append(action)
        continue
      }
      switch action {
      case .load(let request): send(.page(request, page(request.query)))
      case .count: send(.counted(unread: lines.count { !$0.isRead }))
      case .open(let reference, let title):
        guard !lost.contains(reference) else {
          send(.notOpened(reference, "it is gone"))
          continue
        }
        let number = lines.first { $0.reference == reference }?.number ?? 0
        let text = (["Item \(number)", title] + (1...40).map { "line \($0)" })
          .joined(separator: "\n")
        done.append(action)
        send(.article(Article(reference: reference, link: nil, text: text)))
      case .mark(let items, let mark, let ticket):
        done.append(action)
        for index in lines.indices where items.contains(lines[index].reference) {
          lines[index].apply(mark)
        }
        send(.marked(ticket: ticket))
      default: done.append(action)
      }
    }
  }

  private func page(_ query: ItemQuery) -> [ItemLine] {
    var found = lines
    if let isRead = query.isRead { found = found.filter { $0.isRead == isRead } }
    if let words = query.words { found = found.filter { $0.title?.contains(words) == true } }
    if let place = query.behind { found = found.filter { $0.isBehind(place) } }
    if let place = query.inFrontOf {
      found = found.filter { !$0.isBehind(place) && $0.place != place }
    }
    let limit = query.limit ?? .max
    return Array(query.isFromEnd ? found.suffix(limit) : found.prefix(limit))
  }

  var selected: String? { state.window.current?.title }

  /// The first line of the screen.
  var title: String { ReaderScreen.lines(of: state).first?.text ?? "" }

  /// The screen between its first and last line, as text.
  var screen: [String] {
    ReaderScreen.lines(of: state).dropFirst().dropLast().map(\.text)
  }
}

extension ItemLine {
  fileprivate func isBehind(_ other: ItemPlace) -> Bool {
    (date, number) < (other.date, other.number)
  }
}
