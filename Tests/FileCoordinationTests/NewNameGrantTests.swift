import FileCoordination
import Foundation
import Glibc
import SystemFiles
import SystemPackage
import Testing

/// An arbiter that grants an item by another name than it was asked for, and may end just then.
@Suite struct NewNameGrantTests {
  let workshop: Workshop
  let (old, new): (FilePath, FilePath)
  private let journal = Journal()

  init() throws {
    workshop = try Workshop()
    (old, new) = (try workshop.file("old"), try workshop.file("new", ""))
  }

  /// Reads what is said by a connection until there is what is wanted in a message.
  private func read<Found>(
    from connection: Int32, _ frames: inout WireFrames, _ find: (MemberMessage) -> Found?
  ) throws -> Found {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      while let frame = try frames.next() {
        if let found = find(try MemberMessage(wire: frame)) { return found }
      }
      var wait = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
      try #require(poll(&wait, 1, 20_000) == 1, "nothing more is said")
      let count = recv(connection, &buffer, buffer.count, 0)
      try #require(count > 0, "the connection was ended")
      frames.append(buffer[..<count])
    }
  }

  private func say(_ message: ArbiterMessage, on connection: Int32) {
    let bytes = WireFormat.frame(message.wireBytes)
    #expect(send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
  }

  @Test(arguments: [false, true])
  func c14_theAccessBeginsWhenTheNewNameIsKnownToWhoeverTakesOver(ends: Bool) throws {
    _ = try CoordinationPlace(workshop.coordination)
    let lock = try LinuxFileSystem().lock(
      workshop.coordination.appending("arbiter.lock"), exclusive: true, wait: false, holder: [])
    let listener = try InterposedArbiter.listen(
      at: workshop.coordination.appending("arbiter.socket"))
    let domain = try workshop.domain(isSilent: true)
    let worker = Worker { [old, journal] in
      try FileCoordinator(domain).write(old) { journal.note("writes \($0)") }
    }
    let connection = accept(listener, nil, nil)
    try #require(connection >= 0)
    var frames = WireFrames()
    let key = try read(from: connection, &frames) { message in
      if case .claim(let request, isHeld: false) = message { request.key } else { nil }
    }
    let path = try #require(ItemPath(bytes: Array(new.string.utf8)))
    say(.granted(key, [path]), on: connection)
    let number = try read(from: connection, &frames) { message in
      if case .status(let number) = message { number } else { nil }
    }
    #expect(journal.all.isEmpty)
    if ends {
      lock.release()
    } else {
      let process = CoordinatingProcess(id: getpid(), name: "arbiter")
      let report = CoordinationReport(arbiter: process, claims: [], presenters: [])
      say(.status(number: number, report), on: connection)
      try worker.join()
    }
    for descriptor in [connection, listener] { close(descriptor) }
    if ends { try worker.join() } else { lock.release() }
    #expect(journal.all == ["writes \(new)"])
  }
}
