import Dispatch
import FileCoordination
import Glibc
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// Presenters that end while they are registered.
@Suite struct EndedPresenterTests {
  /// Takes itself away as it ends, if it has a domain by then.
  private final class Fleeting: FilePresenter {
    let presentedItemPath: FilePath?
    let presentedItemQueue: DispatchQueue
    private let domain: CoordinationDomain?

    init(_ path: FilePath, queue: DispatchQueue, leaving domain: CoordinationDomain?) {
      (presentedItemPath, presentedItemQueue, self.domain) = (path, queue, domain)
    }

    deinit { domain?.removeFilePresenter(self) }
  }

  private let workshop: Workshop
  private let queue = DispatchQueue(label: "presenters")

  init() throws { workshop = try Workshop() }

  /// - returns: which place in memory it had.
  private func addOne(
    to domain: CoordinationDomain, times: Int = 1, isLeaving: Bool
  ) throws -> ObjectIdentifier {
    let presenter = Fleeting(
      workshop.files.appending("f"), queue: queue, leaving: isLeaving ? domain : nil)
    for _ in 0..<times { try domain.addFilePresenter(presenter) }
    return ObjectIdentifier(presenter)
  }

  @Test(arguments: [1, 2])
  func p11_oneThatTakesItselfAwayAsItEndsIsGoneHoweverOftenItWasAdded(times: Int) throws {
    for domain in [try workshop.domain(), try workshop.domain()] {
      _ = try addOne(to: domain, times: times, isLeaving: true)
      #expect(try domain.report().presenters.isEmpty)
    }
  }

  /// Keeps what it is asked, and does not answer.
  private final class Mute: FilePresenter {
    let presentedItemPath: FilePath?
    let presentedItemQueue = DispatchQueue(label: "mute")
    private let answers = Mutex<[@Sendable ((@Sendable () -> Void)?) -> Void]>([])

    init(_ path: FilePath) { presentedItemPath = path }

    var isAsked: Bool { answers.withLock { !$0.isEmpty } }

    func relinquishPresentedItem(
      to accessor: FileAccessor, _ done: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { answers.withLock { $0.append(done) } }
  }

  @Test func p10_oneThatEndsBeforeItHasAnsweredIsNotWaitedFor() throws {
    let file = try workshop.file("f", "")
    for domain in [try workshop.domain(), try workshop.domain()] {
      var mute: Mute? = Mute(file)
      if let mute { try domain.addFilePresenter(mute) }
      let writer = Worker {
        try FileCoordinator(domain, patience: .seconds(300)).write(file, timeout: .seconds(30)) {
          _ in
        }
      }
      try waitUntil { mute?.isAsked != false }
      mute = nil
      try writer.join()
    }
  }

  @Test func p11_oneThatDoesNotIsGoneWhenAnotherIsAddedInItsPlaceInMemory() throws {
    let domain = try workshop.domain()
    var places: Set<ObjectIdentifier> = []
    for _ in 0..<500 { places.insert(try addOne(to: domain, isLeaving: false)) }
    #expect(try domain.report().presenters.count == places.count)
  }
}
