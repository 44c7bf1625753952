import FileCoordination
import TestSupport
import Testing

/// Messages as bytes: what goes in comes out, and what is no message is refused.
@Suite struct WireTests {
  private static let key = CoordinationKey(member: .max, number: 300)
  private static let process = CoordinatingProcess(id: 4711, name: "näme")

  private static func path(_ text: String) throws -> ItemPath { try ArbiterDesk.path(text) }

  private static func request() throws -> ClaimRequest {
    ClaimRequest(
      key: key, purpose: "sync", presenter: CoordinationKey(member: 1, number: 2),
      items: [
        ClaimedItem(try path("/a"), [.writes, .deletes, .isDirectory]),
        ClaimedItem(try path("/b\u{FFFD}/c"), []),
      ], isBatch: true, parents: [key], answering: [key, key], since: .milliseconds(12_345),
      deadline: .seconds(99_999), patience: .milliseconds(1), wantsHolders: false)
  }

  private static func memberMessages() throws -> [MemberMessage] {
    let (one, two) = (try path("/"), try path("/x/y"))
    return [
      .hello(member: 0, process), .claim(try request(), isHeld: true), .cancel(key),
      .release(
        key,
        [
          ItemOutcome(existedBefore: true, existsAfter: false),
          ItemOutcome(existedBefore: false, existsAfter: true),
        ]),
      .present(PresenterRecord(key: key, path: nil), gaveWayTo: []),
      .present(PresenterRecord(key: key, path: two), gaveWayTo: [key]), .unpresent(key),
      .answer(claim: key, presenter: key, failure: nil),
      .answer(claim: key, presenter: key, failure: "no"), .moved(claim: key, from: one, to: two),
      .version(.lost, at: two, id: "v"), .changed(one), .ready, .status(number: .max),
    ]
  }

  private static func arbiterMessages() throws -> [ArbiterMessage] {
    let holder = CoordinationHolder(process: process, role: .presents, path: "/x")
    let (one, two) = (try path("/"), try path("/x/y"))
    let report = CoordinationReport(
      arbiter: process,
      claims: [
        .init(
          process: process, state: .asking, items: [.init(path: "/x", writes: true)],
          age: .seconds(2), waitsFor: [holder])
      ], presenters: [.init(process: process, path: nil, hasLapsed: true)])
    let notices: [PresenterNotice] = [
      .didChange, .didMove(to: two), .subitemDidAppear(one), .subitemDidChange(two),
      .subitemDidMove(from: one, to: two), .version(.gained, id: "v"),
      .subitemVersion(.resolved, at: two, id: ""), .reacquire(key),
    ]
    let failures: [ClaimFailure] = [
      .timedOut([holder]), .deadlock([]), .presenterFailed(process, message: "m"), .cancelled,
      .overLimit,
    ]
    return [
      .welcome(process), .presented(key), .waiting(key, [holder]), .granted(key, [one, two]),
      .ask(
        claim: key, presenter: key,
        [
          .relinquishToReader, .relinquishToWriter, .saveChanges, .accommodateDeletion,
          .accommodateSubitemDeletion(two),
        ], asker: process),
      .status(number: 7, report),
      .lapsed(key, PresenterLapse(process: process, path: "/x", waited: .milliseconds(1500))),
    ] + notices.map { .notice(presenter: key, $0) } + failures.map { .failed(key, $0) }
  }

  @Test func whatGoesInComesOut() throws {
    for message in try Self.memberMessages() {
      #expect(try MemberMessage(wire: message.wireBytes) == message)
    }
    for message in try Self.arbiterMessages() {
      #expect(try ArbiterMessage(wire: message.wireBytes) == message)
    }
  }

  @Test func aMessageThatIsCutOrGoesOnIsRefused() throws {
    for bytes in try Self.memberMessages().map(\.wireBytes) {
      for count in 0..<bytes.count {
        #expect(throws: WireError.self) { try MemberMessage(wire: Array(bytes.prefix(count))) }
      }
      #expect(throws: WireError.length) { try MemberMessage(wire: bytes + [0]) }
    }
    for bytes in try Self.arbiterMessages().map(\.wireBytes) {
      for count in 0..<bytes.count {
        #expect(throws: WireError.self) { try ArbiterMessage(wire: Array(bytes.prefix(count))) }
      }
    }
  }

  @Test func anyBytesAtAllAreReadOrRefused() throws {
    var random = SeededGenerator(seed: 7)
    let samples = try Self.memberMessages().map(\.wireBytes)
    var refused = 0
    for round in 0..<20_000 {
      var bytes = samples[round % samples.count]
      for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        bytes[index] = UInt8.random(in: 0...255, using: &random)
      }
      do {
        // What is read is a message like any other: it survives being written again.
        let message = try MemberMessage(wire: bytes)
        #expect(try MemberMessage(wire: message.wireBytes) == message)
      } catch {
        refused += 1
      }
    }
    #expect(refused > 1_000)
  }

  @Test func aListOverItsLimitIsRefusedBeforeMemoryIsTaken() throws {
    // A release of 2^60 items, as it claims.
    var bytes = MemberMessage.release(Self.key, []).wireBytes
    bytes.removeLast()
    bytes += [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10]
    #expect(throws: WireError.limit("outcomes")) { try MemberMessage(wire: bytes) }
  }

  @Test func anotherVersionIsRefused() {
    var bytes = MemberMessage.hello(member: 1, Self.process).wireBytes
    bytes[1] = WireFormat.version + 1
    #expect(throws: WireError.value("version")) { try MemberMessage(wire: bytes) }
  }

  @Test func messagesAreCutFromPiecesOfAnySize() throws {
    let messages = try Self.memberMessages().map(\.wireBytes)
    let stream = messages.flatMap { WireFormat.frame($0) }
    for size in [1, 2, 3, 7, 64, stream.count] {
      var frames = WireFrames()
      var found: [[UInt8]] = []
      for start in stride(from: 0, to: stream.count, by: size) {
        frames.append(stream[start..<min(start + size, stream.count)])
        while let frame = try frames.next() { found.append(frame) }
      }
      #expect(found == messages)
    }
  }

  @Test func aMessageThatIsTooLongIsRefusedByItsLengthAlone() {
    var frames = WireFrames()
    frames.append([0xFF, 0xFF, 0xFF, 0x7F])
    #expect(throws: WireError.limit("message")) { try frames.next() }
  }

  @Test(arguments: ["", "a", "a/b", "/a/", "/a//b", "/a/./b", "/a/../b", "/..", "/a\0"])
  func whatIsNoPlainAbsolutePathIsRefused(text: String) {
    #expect(ItemPath(bytes: Array(text.utf8)) == nil)
  }

  @Test func aPathHasALimit() {
    let name = [UInt8](repeating: 97, count: ItemPath.maximumBytes - 1)
    #expect(ItemPath(bytes: [47] + name) != nil)
    #expect(ItemPath(bytes: [47, 97] + name) == nil)
  }
}
