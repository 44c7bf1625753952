import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// What a process has written down of its presenters, as an arbiter reads it while that process is
/// suspended.
@Suite struct WrittenPresentersTests {
  let workshop: Workshop
  /// The arbiter, and a part that has connected, and presented nothing.
  let (here, there): (CoordinationDomain, CoordinationDomain)
  let file: FilePath

  init() throws {
    workshop = try Workshop()
    (here, there) = (try workshop.domain(), try workshop.domain())
    file = try workshop.file("f", "")
  }

  private var members: FilePath { workshop.coordination.appending("members") }

  /// The name of the part's record.
  private func member() throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: members.string)
    return try #require(names.first { !$0.contains(".") })
  }

  /// What the arbiter of another place knows that finds the same records there, of a process that
  /// lives and does not come back.
  private func written() throws -> CoordinationReport {
    let other = try Workshop()
    _ = try CoordinationPlace(other.coordination)
    let copies = other.coordination.appending("members")
    let member = try member()
    let lock = try LinuxFileSystem().lock(
      copies.appending(member), exclusive: true, wait: false, holder: [])
    defer { lock.release() }
    for name in [member, "\(member).presented"] {
      let bytes = try Data(contentsOf: URL(filePath: members.appending(name).string))
      try bytes.write(to: URL(filePath: copies.appending(name).string))
    }
    return try other.domain().report()
  }

  @Test func p10_theFirstThatIsAddedAfterTheGreetingStandsThere() throws {
    let presenter = FakePresenter(file)
    try there.addFilePresenter(presenter)
    let report = try written()
    #expect(report.presenters.map(\.path) == [file.string])
    #expect(report.claims.isEmpty, "it could not be read")
  }

  @Test func p10_soDoesOneThatIsAddedWhenAllOthersHaveGone() throws {
    for number in 0..<100 {
      let presenter = FakePresenter(try workshop.file("\(number)"))
      try there.addFilePresenter(presenter)
      let report = try written()
      #expect(report.presenters.map(\.path) == [workshop.files.appending("\(number)").string])
      #expect(report.claims.isEmpty, "it could not be read")
      there.removeFilePresenter(presenter)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func allStandThereOfAsManyAsThereMayBe() throws {
    // One queue: as many would keep the threads from other tests.
    let queue = DispatchQueue(label: "presenters")
    let presenters = (0..<Arbiter.maximumPresenters).map { number in
      FakePresenter(workshop.files.appending("\(number)"), queue: queue)
    }
    for presenter in presenters { try there.addFilePresenter(presenter) }
    for presenter in presenters.dropLast() { there.removeFilePresenter(presenter) }
    #expect(try written().presenters.map(\.path) == [presenters.last?.presentedItemPath?.string])
  }

  /// Has nothing of what is presented be written down.
  private func refuseToWrite() throws {
    try Workshop.makeFolder(members.appending("\(try member()).presented"))
  }

  @Test func p11_oneThatCannotBeWrittenDownIsAskedWhereItHasNamedItsItemAnew() throws {
    let presenter = FakePresenter(nil)
    try there.addFilePresenter(presenter)
    try refuseToWrite()
    presenter.setPath(file)
    try FileCoordinator(there, filePresenter: presenter).write(file) { _ in }
    try FileCoordinator(here).write(file, timeout: .seconds(30)) { _ in }
    #expect(presenter.journal.all.contains("relinquish writer"))
  }
}
