import Dispatch
import FileCoordination
import SystemPackage
import Testing

/// Those who hear what an access waits for, and block: a terminal that was stopped, say.
@Suite struct SlowListenerTests {
  /// Has a file open, and never gives way.
  private final class Mute: FilePresenter {
    let presentedItemPath: FilePath?
    let presentedItemQueue = DispatchQueue(label: "mute")

    init(_ path: FilePath) { presentedItemPath = path }

    func relinquishPresentedItem(
      to accessor: FileAccessor, _ done: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {}
  }

  private enum Blocking: CaseIterable {
    case onWait, onLapse
  }

  @Test(arguments: [true, false], Blocking.allCases)
  private func oneThatBlocksKeepsNeitherItsOwnAccessNorOthersWaiting(
    isArbiter: Bool, blocking: Blocking
  ) throws {
    let workshop = try Workshop()
    let domains = [try workshop.domain(), try workshop.domain()]
    let (own, other) = isArbiter ? (domains[0], domains[1]) : (domains[1], domains[0])
    let file = try workshop.file("f", "")
    let mute = Mute(file)
    try other.addFilePresenter(mute)
    let (journal, isStopped) = (Journal(), DispatchSemaphore(value: 0))
    let coordinator = try FileCoordinator(
      own, patience: .milliseconds(50),
      onWait: { _ in
        if blocking == .onWait { isStopped.wait() }
        journal.note("waits")
      },
      onLapse: { _ in
        if blocking == .onLapse { isStopped.wait() }
        journal.note("lapsed")
      })
    let worker = Worker { try coordinator.write(file) { _ in journal.note("writes") } }
    #expect(journal.wait(for: "writes"))
    try FileCoordinator(other).write(file, timeout: .seconds(30)) { _ in }
    try worker.join()
    #expect(!journal.all.contains("lapsed"))
    isStopped.signal()
    #expect(journal.wait(for: "lapsed"))
    #expect(journal.all.filter { $0 != "writes" } == ["waits", "lapsed"])
    other.removeFilePresenter(mute)
  }

  @Test func anAccessIsOverWhenWhoeverDoesNotBlockHasHeardOfIt() throws {
    let workshop = try Workshop()
    let (here, there) = (try workshop.domain(), try workshop.domain())
    let file = try workshop.file("f", "")
    let mute = Mute(file)
    try here.addFilePresenter(mute)
    let journal = Journal()
    let coordinator = try FileCoordinator(
      there, patience: .milliseconds(50), onLapse: { _ in journal.note("lapsed") })
    try coordinator.write(file) { _ in }
    #expect(journal.wait(for: "lapsed"))
    here.removeFilePresenter(mute)
  }
}
