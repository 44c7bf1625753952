import FileCoordination
import Testing

/// Many that wait for one item: the queue is looked through for each that comes.
@Suite struct CrowdTests {
  let desk = ArbiterDesk()
  private static let crowd = 400

  @Test(.timeLimit(.minutes(5)))
  func eachOfManyThatWaitIsToldAtOnceAndHasItsTurn() throws {
    let writers = try (0..<Self.crowd).map { try desk.write(UInt64($0 % 4 + 1), "/f") }
    #expect(writers.allSatisfy { desk.failure(of: $0) == nil })
    for (place, writer) in writers.enumerated() {
      #expect(desk.isGranted(writer))
      if place + 1 < writers.count { #expect(!desk.isGranted(writers[place + 1])) }
      desk.release(writer)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func soIsEachOfManyThatWaitInsideOfAnAccessor() throws {
    let holder = try desk.write(1, "/f")
    let writers = try (0..<120).map { number in
      let outer = try desk.write(UInt64(number % 4 + 1), "/\(number)")
      return try desk.claim(outer.member, ("/f", .writes), parents: [outer])
    }
    #expect(writers.allSatisfy { desk.failure(of: $0) == nil })
    desk.release(holder)
    for writer in writers {
      #expect(desk.isGranted(writer))
      desk.release(writer)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func manyPresentersAreAskedAnewAndWaitedForNoMoreTogether() throws {
    let numbers = 1...UInt64(Arbiter.maximumPresenters)
    let many = numbers.map { CoordinationKey(member: 9, number: $0) }
    let records = try many.map {
      PresenterRecord(key: $0, path: try ArbiterDesk.path("/d/\($0.number)"))
    }
    desk.input(
      .recovered(9, CoordinatingProcess(id: 109, name: "survivor"), [], presenting: records))
    desk.advance(by: Arbiter.returnPatience)
    let batches = try (0..<20).map { _ in try desk.claim(1, ("/d", []), isBatch: true) }
    desk.say(.hello(member: 9, CoordinatingProcess(id: 109, name: "survivor")), from: 9)
    #expect(batches.allSatisfy { desk.questions(to: many[0], for: $0) != nil })
    for key in many { desk.answer(key, to: batches[0]) }
    #expect(desk.isGranted(batches[0]) && !desk.isGranted(batches[1]))
    desk.advance(by: .seconds(5))
    #expect(batches.allSatisfy(desk.isGranted))
  }

  @Test func aCycleIsFoundBehindManyThatWait() throws {
    let (first, second) = (try desk.write(1, "/a"), try desk.write(2, "/b"))
    for _ in 0..<20 { _ = try desk.write(3, "/b") }
    let outer = try desk.claim(1, ("/b", .writes), parents: [first])
    let closing = try desk.claim(2, ("/a", .writes), parents: [second])
    #expect(desk.failure(of: outer) == nil)
    guard case .deadlock = desk.failure(of: closing) else {
      Issue.record("no cycle was found")
      return
    }
  }

  @Test func oneThatAskedEarlierAndComesLateIsPassedByWhoHoldsSomething() throws {
    let first = try desk.write(1, "/a")
    let time = desk.now
    desk.advance(by: .seconds(1))
    let other = try desk.write(3, "/b")
    let inner = try desk.claim(1, ("/b", .writes), parents: [first])
    #expect(desk.failure(of: inner) == nil)
    // Made before and come now: it waits for the one inside of which another waits.
    let both = ClaimRequest(
      key: desk.key(2), purpose: "both",
      items: [
        ClaimedItem(try ArbiterDesk.path("/a"), .writes),
        ClaimedItem(try ArbiterDesk.path("/b"), .writes),
      ], since: time)
    desk.say(.claim(both, isHeld: false), from: 2)
    #expect(desk.failure(of: both.key) == nil, "who holds something goes past it")
    desk.release(other)
    #expect(desk.isGranted(inner))
  }
}
