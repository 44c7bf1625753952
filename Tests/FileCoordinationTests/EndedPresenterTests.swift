import Dispatch
import FileCoordination
import SystemPackage
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

  @Test func p11_oneThatDoesNotIsGoneWhenAnotherIsAddedInItsPlaceInMemory() throws {
    let domain = try workshop.domain()
    var places: Set<ObjectIdentifier> = []
    for _ in 0..<500 { places.insert(try addOne(to: domain, isLeaving: false)) }
    #expect(try domain.report().presenters.count == places.count)
  }
}
