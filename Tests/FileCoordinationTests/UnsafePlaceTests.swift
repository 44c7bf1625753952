import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// Bad input: places that others could reach into, and files that are not what they were.
@Suite struct UnsafePlaceTests {
  let workshop: Workshop

  init() throws { workshop = try Workshop() }

  private func danger(_ path: FilePath, user: UInt32 = geteuid()) -> CoordinationError.Danger? {
    do {
      _ = try CoordinationPlace(path, user: user)
      return nil
    } catch .unsafePlace(_, let danger) {
      return danger
    } catch {
      Issue.record("another error: \(error)")
      return nil
    }
  }

  @Test func aDirectoryThatIsNotOursIsRefused() throws {
    try Workshop.makeFolder(workshop.coordination)
    #expect(danger(workshop.coordination, user: geteuid() + 1) == .ownedBy(user: geteuid()))
    #expect(danger(workshop.coordination) == nil)
  }

  @Test(arguments: [0o777, 0o770, 0o707, 0o701, 0o1777])
  func aDirectoryThatOthersMayUseIsRefused(mode: Int) throws {
    try Workshop.makeFolder(workshop.coordination)
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: workshop.coordination.string)
    #expect(danger(workshop.coordination) == .openToOthers(mode: UInt32(mode)))
  }

  @Test func aLinkOrAFileWhereTheDirectoryIsToBeIsRefused() throws {
    try Workshop.makeFolder(workshop.files.appending("real"))
    try FileManager.default.createSymbolicLink(
      atPath: workshop.coordination.string,
      withDestinationPath: workshop.files.appending("real").string)
    #expect(danger(workshop.coordination) == .wrongKind)
    #expect(danger(try workshop.file("plain", "")) == .wrongKind)
  }

  @Test func whatIsInTheDirectoryIsHeldToTheSame() throws {
    _ = try CoordinationPlace(workshop.coordination)
    let members = workshop.coordination.appending("members")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o777], ofItemAtPath: members.string)
    #expect(danger(workshop.coordination) == .openToOthers(mode: 0o777))
  }

  @Test func whatIsMadeIsForItsOwnerAlone() throws {
    _ = try workshop.domain()
    for (name, mode) in [
      ("", 0o700), ("members", 0o700), ("arbiter.lock", 0o600), ("arbiter.socket", 0o600),
    ] {
      let path = workshop.coordination.appending(name)
      #expect(try LinuxFileSystem().status(of: path).mode == UInt32(mode), "\(name)")
    }
  }

  /// Somebody has the lock, so that nobody may take it, and something is where the socket is to be.
  private func accessBesideSocket(
    madeBy make: (FilePath) throws -> Void
  ) throws -> CoordinationError? {
    _ = try CoordinationPlace(workshop.coordination)
    let lock = try LinuxFileSystem().lock(
      workshop.coordination.appending("arbiter.lock"), exclusive: true, wait: false, holder: [])
    defer { lock.release() }
    let socket = workshop.coordination.appending("arbiter.socket")
    try make(socket)
    let domain = try CoordinationDomain.inState(workshop.state)
    defer { domain.close() }
    return #expect(throws: CoordinationError.self) {
      try FileCoordinator(domain).read(workshop.files) { _ in }
    }
  }

  @Test func aSocketThatIsNoneIsRefused() throws {
    let socket = workshop.coordination.appending("arbiter.socket").string
    let error = try accessBesideSocket { try Workshop.write("", to: $0) }
    #expect(error == .unsafePlace(path: socket, .wrongKind))
  }

  @Test func aSocketThatIsALinkIsRefused() throws {
    let socket = workshop.coordination.appending("arbiter.socket").string
    let error = try accessBesideSocket {
      try FileManager.default.createSymbolicLink(
        atPath: $0.string, withDestinationPath: "/tmp/socket")
    }
    #expect(error == .unsafePlace(path: socket, .wrongKind))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a socket away"))
  func aSocketSquattedByAnotherUserIsRefused() throws {
    let socket = workshop.coordination.appending("arbiter.socket").string
    let error = try accessBesideSocket { path in
      _ = try InterposedArbiter.listen(at: path)
      try #require(chown(path.string, 65_534, 65_534) == 0)
    }
    #expect(error == .unsafePlace(path: socket, .ownedBy(user: 65_534)))
  }

  @Test func anArbiterThatSpeaksOtherwiseIsAnErrorAndNotAHang() throws {
    let socket = workshop.coordination.appending("arbiter.socket").string
    // As one of another version does, it hangs up on whoever greets.
    let error = try accessBesideSocket { path in
      let listener = try InterposedArbiter.listen(at: path)
      Thread.detachNewThread {
        for _ in 0..<100 {
          let connection = accept(listener, nil, nil)
          if connection < 0 { return }
          close(connection)
        }
      }
    }
    #expect(error == .noArbiter(path: socket, errno: EPROTO))
  }

  /// A program to which all whom it meets are another user's.
  private func domainAmongStrangers() throws -> CoordinationDomain {
    let place = try CoordinationPlace(workshop.coordination, peers: geteuid() + 1)
    return CoordinationDomain(node: CoordinationNode(place: place))
  }

  private func refusal(by domain: CoordinationDomain) -> CoordinationError? {
    #expect(throws: CoordinationError.self) {
      try FileCoordinator(domain).read(workshop.files) { _ in
        Issue.record("the accessor was run")
      }
    }
  }

  @Test func anArbiterOfAnotherUserIsRefusedAndAskedNothing() throws {
    let arbiter = try workshop.domain()
    let domain = try domainAmongStrangers()
    defer { domain.close() }
    let socket = workshop.coordination.appending("arbiter.socket").string
    #expect(
      refusal(by: domain) == .unsafePlace(path: socket, .ownedBy(user: geteuid() + 1)))
    #expect(try arbiter.report().claims.isEmpty)
  }

  @Test func anArbiterServesNoProcessOfAnotherUserAndGoesOn() throws {
    let arbiter = try domainAmongStrangers()
    defer { arbiter.close() }
    // It keeps the queue from now on.
    _ = try arbiter.report()
    let domain = try workshop.domain(isSilent: true)
    let socket = workshop.coordination.appending("arbiter.socket").string
    #expect(refusal(by: domain) == .noArbiter(path: socket, errno: EPROTO))
    try FileCoordinator(arbiter).write(workshop.files) { _ in }
    #expect(try arbiter.report().claims.isEmpty)
  }

  /// A socket's address has room for 108 bytes.
  @Test func aDirectoryWhosePathIsLongerThanASocketsAddressWillDo() throws {
    var state = workshop.state
    for _ in 0..<3 {
      state.append(String(repeating: "s", count: 100))
      try Workshop.makeFolder(state)
    }
    let domains = try (0..<2).map { _ in
      CoordinationDomain(
        node: CoordinationNode(place: try CoordinationPlace(state.appending("coordination"))))
    }
    defer { for domain in domains { domain.close() } }
    for domain in domains { _ = try domain.report() }
    let file = try workshop.file("f")
    try FileCoordinator(domains[0]).write(file) { _ in
      let error = #expect(throws: CoordinationError.self) {
        try FileCoordinator(domains[1]).read(file, timeout: .milliseconds(20)) { _ in
          Issue.record("the accessor was run")
        }
      }
      guard case .timedOut = error else {
        Issue.record("another error: \(String(describing: error))")
        return
      }
    }
  }

  /// As of a script whose variable is not set: all who have none would have the same.
  @Test func aPurposeWithoutANameIsRefused() throws {
    let domain = try workshop.domain()
    #expect(throws: CoordinationError.emptyPurpose) {
      try FileCoordinator(domain, purposeIdentifier: "")
    }
  }

  @Test func whatIsOverItsLimitIsRefused() throws {
    let domain = try workshop.domain()
    let purpose = String(repeating: "p", count: ClaimRequest.maximumPurposeBytes)
    let coordinator = try FileCoordinator(domain, purposeIdentifier: purpose)
    #expect(throws: CoordinationError.overLimit(path: purpose + "p")) {
      try FileCoordinator(domain, purposeIdentifier: purpose + "p")
    }
    let intents = try (0...ClaimRequest.maximumItems).map {
      FileAccessIntent.reading(try workshop.file("\($0)"))
    }
    let most = Array(intents.dropLast())
    #expect(try coordinator.coordinate(most) { $0.count } == ClaimRequest.maximumItems)
    #expect(throws: CoordinationError.overLimit(path: intents[0].path.string)) {
      try coordinator.coordinate(intents) { _ in _ = Issue.record("the accessor was run") }
    }
  }

  @Test func aPathThatLeavesTheFolderIsRefused() throws {
    let domain = try workshop.domain()
    let inside = try workshop.file("container")
    try Workshop.makeFolder(inside)
    try FileManager.default.createSymbolicLink(
      atPath: inside.appending("out").string, withDestinationPath: workshop.state.string)
    let coordinator = try FileCoordinator(domain, folder: inside)
    for path in [
      inside.appending("out").appending("f"), FilePath("\(inside)/../f"), workshop.files,
      FilePath("\(inside)-beside"), "/etc/passwd",
    ] {
      let error = #expect(throws: CoordinationError.self, "\(path)") {
        try coordinator.write(path) { _ in _ = Issue.record("the accessor was run") }
      }
      guard case .leavesFolder = error else {
        Issue.record("\(path): \(String(describing: error))")
        continue
      }
    }
    try coordinator.write(inside.appending("new")) { _ in }
    // As long as there can be.
    try coordinator.write(inside.appending("new"), timeout: .seconds(Int64.max)) { _ in }
    try coordinator.read(inside.appending("out")) { _ in }
    #expect(throws: CoordinationError.self) {
      try coordinator.read(inside.appending("out"), .resolvesSymbolicLink) { _ in }
    }
  }

  @Test func aFileReplacedByALinkWhileItWasWaitedForIsRefused() throws {
    let (here, there) = (try workshop.domain(), try workshop.domain())
    let file = try workshop.file("f", "text")
    let worker = try FileCoordinator(here).write(file) { path in
      let worker = Worker {
        try FileCoordinator(there).write(file) { _ in _ = Issue.record("the accessor was run") }
      }
      try here.waitForWaiters(1)
      try FileManager.default.removeItem(atPath: path.string)
      try FileManager.default.createSymbolicLink(
        atPath: path.string, withDestinationPath: "/etc/passwd")
      return worker
    }
    #expect(throws: CoordinationError.replaced(path: file.string)) { try worker.join() }
  }

  @Test func whatIsMovedOutOfTheFolderWhileItIsWaitedForIsRefused() throws {
    let (here, there) = (try workshop.domain(), try workshop.domain())
    let inside = try workshop.file("inside")
    try Workshop.makeFolder(inside)
    let (file, outside) = (try workshop.file("inside/f", "text"), try workshop.file("f"))
    let mover = try FileCoordinator(here)
    let worker = try mover.write(file, .forMoving) { path in
      let worker = Worker {
        try FileCoordinator(there, folder: inside).write(file) { _ in
          _ = Issue.record("the accessor was run")
        }
      }
      try here.waitForWaiters(1)
      try LinuxFileSystem().rename(path, to: outside)
      try mover.item(at: path, didMoveTo: outside)
      return worker
    }
    #expect(
      throws: CoordinationError.leavesFolder(path: outside.string, folder: inside.string)
    ) { try worker.join() }
  }

  @Test func aFileOrAFolderReplacedByALinkBetweenCheckAndOpenIsRefused() throws {
    let coordinator = try FileCoordinator(try workshop.domain())
    let folder = try workshop.file("folder")
    try Workshop.makeFolder(folder)
    let file = try workshop.file("folder/f", "text")
    for victim in [file, folder] {
      try coordinator.write(file) { path in
        try coordinator.withOpen(path, .readOnly) { _ in }
        let aside = FilePath("\(victim)-aside")
        try FileManager.default.moveItem(atPath: victim.string, toPath: aside.string)
        try FileManager.default.createSymbolicLink(
          atPath: victim.string, withDestinationPath: aside.string)
        #expect(throws: CoordinationError.replaced(path: path.string)) {
          try coordinator.withOpen(path, .readWrite, options: .truncate) { _ in
            _ = Issue.record("it was opened")
          }
        }
        #expect(try Workshop.read(file) == "text")
        try FileManager.default.removeItem(atPath: victim.string)
        try FileManager.default.moveItem(atPath: aside.string, toPath: victim.string)
      }
    }
  }
}
