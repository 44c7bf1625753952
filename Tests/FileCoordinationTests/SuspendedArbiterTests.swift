import FileCoordination
import Foundation
import Glibc
import SystemFiles
import SystemPackage
import Testing

/// An arbiter that is suspended: its socket takes what there is room for, and nobody reads.
///
/// Each test asks for more than there is room for.
@Suite final class SuspendedArbiterTests {
  let workshop: Workshop
  let domain: CoordinationDomain
  let items: [FileAccessIntent]
  private let lock: FileLock
  private let listener: Int32
  private static let accesses = 8

  init() throws {
    let workshop = try Workshop()
    self.workshop = workshop
    _ = try CoordinationPlace(workshop.coordination)
    lock = try LinuxFileSystem().lock(
      workshop.coordination.appending("arbiter.lock"), exclusive: true, wait: false, holder: [])
    listener = try InterposedArbiter.listen(
      at: workshop.coordination.appending("arbiter.socket"))
    domain = try workshop.domain(isSilent: true)
    // A few of these fill a socket, which as a rule has room for 208 KiB.
    let name = String(repeating: "n", count: 200)
    items = try (0..<256).map { .writing(try workshop.file("\(name)\($0)")) }
  }

  deinit { close(listener) }

  /// Makes accesses that give up at once, on as many threads.
  private func giveUpOnMany() throws {
    let workers = (0..<Self.accesses).map { _ in
      Worker { [domain, items] in
        let error = #expect(throws: CoordinationError.self) {
          try FileCoordinator(domain).coordinate(items, timeout: .zero) { _ in
            Issue.record("an accessor was run")
          }
        }
        guard case .timedOut(_, let holders) = error else {
          Issue.record("another error: \(String(describing: error))")
          return
        }
        #expect(holders.map(\.role) == [.keepsQueue])
      }
    }
    for worker in workers { try worker.join(seconds: 30) }
  }

  @Test func accessesEndWithTheirTimeOutsHoweverMuchIsUnread() throws {
    try giveUpOnMany()
    try giveUpOnMany()
  }

  @Test func c19_cancellingReturnsAtOnceHoweverMuchIsUnread() throws {
    try giveUpOnMany()
    let coordinator = try FileCoordinator(domain)
    let waiting = Worker { [items] in
      try coordinator.coordinate(items) { _ in _ = Issue.record("the accessor was run") }
    }
    try Worker { coordinator.cancel() }.join(seconds: 10)
    #expect(throws: CoordinationError.self) { try waiting.join(seconds: 10) }
  }

  @Test func whatWasKeptIsSaidWholeAndInItsOrderWhenTheArbiterReadsAgain() throws {
    try giveUpOnMany()
    let connection = accept(listener, nil, nil)
    defer { close(connection) }
    try #require(connection >= 0)
    var (claimed, cancelled): (Set<CoordinationKey>, Set<CoordinationKey>) = ([], [])
    var (frames, buffer) = (WireFrames(), [UInt8](repeating: 0, count: 1 << 16))
    while cancelled.count < Self.accesses {
      var wait = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
      try #require(poll(&wait, 1, 20_000) == 1, "nothing more is said")
      let count = recv(connection, &buffer, buffer.count, 0)
      try #require(count > 0, "the connection was ended")
      frames.append(buffer[..<count])
      while let frame = try frames.next() {
        switch try MemberMessage(wire: frame) {
        case .claim(let request, isHeld: false): claimed.insert(request.key)
        case .cancel(let key):
          #expect(claimed.contains(key))
          cancelled.insert(key)
        case .hello, .ready: #expect(claimed.isEmpty)
        case let other: Issue.record("\(other)")
        }
      }
    }
    #expect(cancelled == claimed)
  }

  @Test func anAccessThatNobodyAcceptsEndsWithItsTimeOut() throws {
    // More connect than may wait to be accepted.
    let others = try (0..<2 * InterposedArbiter.backlog).map { _ in
      try workshop.domain(isSilent: true)
    }
    let access: @Sendable (CoordinationDomain) throws -> Void = { [file = workshop.files] in
      try FileCoordinator($0).read(file, timeout: .zero) { _ in }
    }
    let workers = others.map { domain in Worker { try access(domain) } }
    for worker in workers {
      #expect(throws: CoordinationError.self) { try worker.join(seconds: 30) }
    }
    let socket = workshop.coordination.appending("arbiter.socket").string
    #expect(throws: CoordinationError.noArbiter(path: socket, errno: ETIMEDOUT)) {
      // Sooner than an access without a time-out.
      try Worker { [domain] in try access(domain) }.join(seconds: 8)
    }
  }
}
