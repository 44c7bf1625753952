import FeedLibrary
import FeedSync
import Foundation
import Synchronization
import Testing

@testable import NerdfeedCommand

/// What the reader has done on other threads.
@Suite struct ReaderWorkerTests {
  /// What was told, in its order.
  private final class Told: Sendable {
    let events = Mutex<[ReaderEvent]>([])
  }

  @Test("A mark that cannot be made is told by the time that the reader has ended")
  func aMarkThatFailsIsTold() throws {
    let desk = try Desk()
    let library = desk.library
    let told = Told()
    let worker = ReaderWorker(
      library: library, fetching: FeedRun(library: library, settings: LocalSettings())
    ) { event in told.events.withLock { $0.append(event) } }
    let item = try #require(ItemReference("AAAAAAAA/BBBBBBBB"))
    worker.perform(.mark([item], .read(true), ticket: 1))
    worker.perform(.mark([item], .tagged("a,b", true), ticket: 2))
    worker.finish()
    let events = told.events.withLock { $0 }
    let tickets = events.compactMap { if case .marked(let ticket) = $0 { ticket } else { nil } }
    #expect(tickets == [1, 2])
    let failures = events.compactMap {
      if case .markFailed(let error) = $0 { error.cause } else { nil }
    }
    #expect(failures == [.notATag("a,b")])
  }

  @Test("While another nerdfeed fetches nothing is fetched, unless somebody insists")
  func anotherFetches() async throws {
    let desk = try Desk()
    let run = FeedRun(library: desk.library, settings: LocalSettings())
    let feed = try desk.library.subscribe(to: Subscription(url: "file:///nowhere/feed.xml")).feed
    let turn = desk.library.fetchTurn()
    #expect(try run.begin(urgency: .due) == nil && run.begin(urgency: .asked) == nil)
    for begun in [
      try run.begin(urgency: .forced), try run.begin(only: feed.key, urgency: .asked),
    ] { #expect(begun?.plan.due.count == 1 && begun?.turn == nil) }
    let (messages, told) = AsyncStream.makeStream(of: String.self)
    let worker = ReaderWorker(library: desk.library, fetching: run) { event in
      if case .message(let text) = event { told.yield(text) }
    }
    worker.perform(.fetch)
    #expect(await messages.first { _ in true } == FeedRun.isBusy)
    withExtendedLifetime(turn) {}
  }

  @Test("That the folder cannot be imported is told", .timeLimit(.minutes(1)))
  func notImporting() async throws {
    let desk = try Desk()
    try FileManager.default.removeItem(at: desk.root.appending(path: "folder"))
    let (problems, told) = AsyncStream.makeStream(of: String.self)
    let worker = ReaderWorker(
      library: desk.library, fetching: FeedRun(library: desk.library, settings: LocalSettings())
    ) { event in if case .notImporting(let problem?) = event { told.yield(problem) } }
    let following = Task { await worker.follow() }
    let problem = await problems.first { _ in true }
    #expect(problem?.hasPrefix("import: ") == true)
    following.cancel()
    await following.value
  }

  @Test("Marks that have to wait are not waited for without a word, and are made")
  func marksThatHaveToWait() throws {
    let desk = try Desk()
    let worker = ReaderWorker(
      library: desk.library, fetching: FeedRun(library: desk.library, settings: LocalSettings())
    ) { _ in }
    #expect(worker.finish(within: 60))
    let item = try #require(ItemReference("AAAAAAAA/BBBBBBBB"))
    _ = try desk.library.store.write { _ in
      worker.perform(.mark([item], .starred(true), ticket: 1))
      #expect(!worker.finish(within: 0.1))
    }
    worker.finish()
    #expect(try desk.library.mark([item], .starred(true)).changed == 0)
  }

  @Test("That no key is there yet is not the end of the keys")
  func noKeyYet() throws {
    let pipe = Pipe()
    let descriptor = pipe.fileHandleForReading.fileDescriptor
    try #require(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0)
    #expect(ReaderInput.read(descriptor) == nil)
    try pipe.fileHandleForWriting.write(contentsOf: Data("q".utf8))
    #expect(ReaderInput.read(descriptor) == Array("q".utf8))
    try pipe.fileHandleForWriting.close()
    #expect(ReaderInput.read(descriptor) == [])
  }

  @Test("What nobody has waited for is there when the reader has ended")
  func whatIsUndelivered() throws {
    let input = try ReaderInput()
    let error = LibraryError(.busyCache, operation: "mark items")
    input.post(.markFailed(error))
    let failures = input.undelivered().compactMap {
      if case .markFailed(let error) = $0 { error } else { nil }
    }
    #expect(failures == [error])
    #expect(input.undelivered().isEmpty)
  }
}
