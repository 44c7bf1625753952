import FileCoordination
import SystemPackage
import Testing

/// C31: a write of which the arbiter told nobody, since it ended.
@Suite struct UntoldWriteTests {
  let workshop: Workshop
  let here: CoordinationDomain
  let presenter: FakePresenter
  let file: FilePath

  init() throws {
    workshop = try Workshop()
    here = try workshop.domain()
    file = try workshop.file("f", "")
    presenter = FakePresenter(file)
  }

  private static let toldOnce = ["relinquish writer", "relinquished", "changed", "reacquire"]

  @Test func c31_aPresenterHearsOfAWriteThatEndedWithTheArbiter() throws {
    let there = try workshop.domain()
    try there.addFilePresenter(presenter)
    // The writer is the arbiter's own process.
    try FileCoordinator(here).write(file) { [here] path in
      try Workshop.write("new", to: path)
      here.close()
    }
    #expect(presenter.journal.wait(for: "reacquire"))
    #expect(presenter.journal.all == Self.toldOnce)
    there.removeFilePresenter(presenter)
  }

  @Test func c31_aPresenterThatIsNewIsToldOfNoChange() throws {
    let there = try workshop.domain(isSilent: true)
    try there.addFilePresenter(presenter)
    try FileCoordinator(here).write(file) { _ in }
    #expect(presenter.journal.wait(for: "reacquire"))
    #expect(presenter.journal.all == Self.toldOnce)
    there.removeFilePresenter(presenter)
  }
}
