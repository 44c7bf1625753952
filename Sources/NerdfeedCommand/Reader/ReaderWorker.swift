import FeedFetching
import FeedLibrary
import FeedReading
import FeedSync
import Foundation
import Synchronization

/// Does what the reader wants to have done, on threads of its own, and tells what came of it.
///
/// Reading the list never waits for marks, which wait for the disk, nor for fetching.
final class ReaderWorker: Sendable {
  /// Longer articles are cut; nobody reads on for so long.
  private static let articleBytes = 500_000
  /// How often to look whether another process has fetched something.
  private static let lookMilliseconds = 400
  /// A browser that fails within this time has not shown the page; later, it has been shown.
  private static let browsing = Duration.seconds(10)

  private let library: Library
  /// Another one, since a large feed being merged keeps a library busy.
  private let fetching: FeedRun
  private let reads = DispatchQueue(label: "nerdfeed.reads", qos: .userInitiated)
  /// What nobody waits for: news, and numbers.
  private let looks = DispatchQueue(label: "nerdfeed.looks")
  private let marks = DispatchQueue(label: "nerdfeed.marks")
  private let post: @Sendable (ReaderEvent) -> Void
  /// Whether what is committed is not followed any more, which has been told.
  private let isLost = Mutex(false)

  init(library: Library, fetching: FeedRun, post: @escaping @Sendable (ReaderEvent) -> Void) {
    (self.library, self.fetching, self.post) = (library, fetching, post)
  }

  /// - parameter isInBackground: Whether a browser gets no terminal and is not waited for.
  func perform(_ action: ReaderAction, inBackground isInBackground: Bool = true) {
    switch action {
    case .load(let request):
      (request.kind == .reload ? looks : reads).async { self.load(request) }
    case .open(let reference, let title):
      reads.async {
        do {
          self.post(.article(try self.article(reference, of: title)))
        } catch {
          self.post(.notOpened(reference, Self.words(error, "open the item")))
        }
      }
    case .count: looks.async { self.count() }
    case .mark(let items, let mark, let ticket):
      marks.async { self.mark(items, mark, ticket: ticket) }
    case .browse(let item, let link) where isInBackground:
      DispatchQueue.global().async { self.browse(item, link, inBackground: true) }
    case .browse(let item, let link): browse(item, link, inBackground: false)
    case .fetch: Task { await fetch() }
    case .suspend, .redraw, .quit: break
    }
  }

  /// Waits until every mark is made: one that was shown may not be lost.
  func finish() { marks.sync {} }

  /// Waits so long for every mark to be made.
  ///
  /// - returns: Whether they are.
  func finish(within seconds: Double) -> Bool {
    let done = DispatchSemaphore(value: 0)
    marks.async { done.signal() }
    return done.wait(timeout: .now() + seconds) == .success
  }

  private func load(_ request: PageRequest) {
    do {
      post(.page(request, try library.items(request.query)))
    } catch {
      post(.failed(request, Self.words(error, "list items")))
    }
  }

  private func count() {
    telling("count items") {
      var query = ItemQuery()
      query.isRead = false
      post(.counted(unread: try library.count(query)))
    }
  }

  private func mark(_ items: [ItemReference], _ mark: ItemMark, ticket: Int) {
    do {
      let summary = try library.mark(items, mark)
      post(.marked(ticket: ticket))
      // It is safe here, and that the folder is away has been said.
      if let failure = summary.publishingFailure, failure.code != .noContainer {
        post(.message(Self.words(failure, "mark items")))
      }
    } catch {
      // It is not so as it is shown, or may be so.
      post(.marked(ticket: ticket))
      post(.changed)
      post(.markFailed(Runner.described(error, operation: "mark items")))
    }
  }

  /// Follows what other machines and other processes do, until the task is cancelled.
  func follow() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.followMarks() }
      group.addTask { await self.followCache() }
      group.addTask { await self.followImport() }
    }
  }

  private func followMarks() async {
    do {
      for try await _ in library.store.changes { post(.changed) }
    } catch is CancellationError {
      return
    } catch {
      let words = Self.words(error, "follow the folder")
      isLost.withLock { isLost in
        isLost = true
        post(.notImporting(words))
      }
    }
  }

  /// Tells when what arrives cannot be imported, and when it can be again.
  private func followImport() async {
    var known: FeedSyncError?
    while !Task.isCancelled {
      let failure = library.store.importFailure
      if failure != known {
        known = failure
        isLost.withLock { isLost in
          guard !isLost else { return }
          post(.notImporting(failure.map { Self.words($0, "import") }))
        }
      }
      // Cancelled or not, the condition above looks.
      try? await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
    }
  }

  private func followCache() async {
    var known: Int?
    while !Task.isCancelled {
      let version: Int? = await withCheckedContinuation { continuation in
        looks.async {
          // That it cannot be read is told by whoever wants to show something.
          continuation.resume(returning: try? self.library.cacheVersion())
        }
      }
      if let version, version != known {
        if known != nil { post(.changed) }
        known = version
      }
      // Cancelled or not, the condition above looks.
      try? await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
    }
  }

  private func article(_ reference: ItemReference, of feedTitle: String) throws -> Article {
    let item = try library.item(named: reference.description)
    var text = ItemForm.text(item, feedTitle: feedTitle)
    if text.utf8.count > Self.articleBytes {
      text = String(decoding: text.utf8.prefix(Self.articleBytes), as: UTF8.self) + "\n…"
    }
    return Article(reference: reference, link: item.content.link, text: text)
  }

  private func browse(_ item: ItemReference, _ link: String, inBackground isInBackground: Bool) {
    let start = ContinuousClock.now
    do {
      try Browser.open(link, inBackground: isInBackground)
    } catch {
      let words = Self.words(error, "open the page")
      let isShown = ContinuousClock.now - start > Self.browsing
      post(isShown ? .message(words) : .notBrowsed(item, words))
    }
  }

  private func fetch() async {
    do {
      guard let (plan, turn) = try fetching.begin(urgency: .due) else {
        post(.fetching(nil))
        return post(.message(FeedRun.isBusy))
      }
      var summary = FetchSummary(plan)
      var done = 0
      post(.fetching("fetching \(CountText.of(plan.due.count, "feed")) …"))
      try await fetching.fetch(plan.due) { report in
        turn?.goOn()
        summary.add(report)
        done += 1
        post(.fetching("\(done) of \(CountText.of(plan.due.count, "feed")): \(report.title)"))
        if case .fetched(let update) = report.outcome, !update.new.isEmpty { post(.changed) }
      }
      post(.fetching(nil))
      post(.message(summary.text))
      post(.changed)
    } catch {
      post(.fetching(nil))
      post(.message(Self.words(error, "fetch the feeds")))
    }
  }

  private func telling(_ operation: String, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      post(.message(Self.words(error, operation)))
    }
  }

  private static func words(_ error: any Error, _ operation: String) -> String {
    Runner.described(error, operation: operation).words
  }
}

extension LibraryError {
  /// What happened and what may help, for one line.
  var words: String {
    let hint = hint.map { "; " + $0 } ?? ""
    return "\(operation): \(message)\(hint)"
  }
}
