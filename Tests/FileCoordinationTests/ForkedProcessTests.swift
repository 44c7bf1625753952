import FileCoordination
import Synchronization
import Testing

/// A process that was forked off from one that coordinates, with a copy of all that it had.
///
/// Swift lets nobody fork; so one is told that it was.
@Suite struct ForkedProcessTests {
  private final class Fork: Sendable {
    private let isOn = Mutex(false)
    var isOver: Bool { isOn.withLock { $0 } }
    func happen() { isOn.withLock { $0 = true } }
    func end() { isOn.withLock { $0 = false } }
  }

  private let workshop: Workshop
  private let fork = Fork()

  init() throws { workshop = try Workshop() }

  private func domain() throws -> CoordinationDomain {
    CoordinationDomain(
      node: CoordinationNode(
        place: try CoordinationPlace(workshop.coordination),
        isInOwnProcess: { [fork] in !fork.isOver }))
  }

  @Test(arguments: [true, false])
  func itLetsNobodyInAndEndsNothing(keepsQueue: Bool) throws {
    let file = try workshop.file("f", "")
    let other = keepsQueue ? nil : try workshop.domain()
    let domain = try domain()
    let coordinator = try FileCoordinator(domain)
    try coordinator.write(file) { _ in
      fork.happen()
      #expect(throws: CoordinationError.forked) {
        try FileCoordinator(domain).read(file) { _ in _ = Issue.record("the accessor was run") }
      }
      #expect(throws: CoordinationError.forked) { try domain.addFilePresenter(FakePresenter(file)) }
      #expect(throws: CoordinationError.forked) { try domain.report() }
    }
    // What the accessor did in the fork is not the end of the access.
    domain.close()
    fork.end()
    let watching = try other ?? workshop.domain()
    #expect(try watching.report().claims.map(\.state) == [.active])
    domain.close()
    try FileCoordinator(watching).write(file, timeout: .seconds(30)) { _ in }
  }
}
