import Testing

@testable import FeedFetching

@Suite struct FetchQueueTests {
  private func limits(_ concurrent: Int, _ perServer: Int, pause: Duration = .zero)
    -> CrowdLimits
  {
    var limits = CrowdLimits()
    (limits.concurrent, limits.perServer, limits.pause) = (concurrent, perServer, pause)
    return limits
  }

  @Test func noMoreRunAtOnceThanAllowed() {
    var queue = FetchQueue(servers: ["a", "b", "c"], limits: limits(2, 2))
    #expect(queue.next(at: .zero) == .start(0))
    #expect(queue.next(at: .zero) == .start(1))
    #expect(queue.next(at: .zero) == .waitForOne)
    queue.ended(0)
    #expect(queue.next(at: .zero) == .start(2))
    #expect(queue.next(at: .zero) == .waitForOne)
    queue.ended(1)
    queue.ended(2)
    #expect(queue.next(at: .zero) == .finish)
  }

  @Test func oneServerIsNotPressedWhileOthersGoOn() {
    var queue = FetchQueue(servers: ["a", "a", "a", "b"], limits: limits(9, 1))
    #expect(queue.next(at: .zero) == .start(0))
    #expect(queue.next(at: .zero) == .start(3))
    #expect(queue.next(at: .zero) == .waitForOne)
    queue.ended(0)
    #expect(queue.next(at: .zero) == .start(1))
  }

  @Test func betweenTwoBeginningsAtAServerThereIsAPause() {
    var queue = FetchQueue(servers: ["a", "a", "b"], limits: limits(9, 9, pause: .seconds(1)))
    #expect(queue.next(at: .seconds(5)) == .start(0))
    #expect(queue.next(at: .seconds(5)) == .start(2))
    #expect(queue.next(at: .seconds(5)) == .waitUntil(.seconds(6)))
    #expect(queue.next(at: .seconds(6)) == .start(1))
  }

  @Test func aServerThatAsksToBeLeftAloneIsLeftAlone() {
    var queue = FetchQueue(servers: ["a", "b", "a", "a"], limits: limits(2, 1))
    #expect(queue.next(at: .zero) == .start(0))
    #expect(queue.next(at: .zero) == .start(1))
    queue.ended(0, holdSeconds: 90)
    #expect(queue.next(at: .zero) == .postpone(2, seconds: 90))
    #expect(queue.next(at: .zero) == .postpone(3, seconds: 90))
    #expect(queue.next(at: .zero) == .waitForOne)
    queue.ended(1)
    #expect(queue.next(at: .zero) == .finish)
  }

  @Test("Another server that asks to be left alone is, and the request's own is not")
  func anotherServerIsLeftAlone() {
    var queue = FetchQueue(servers: ["a", "b", "a", "b"], limits: limits(1, 1))
    #expect(queue.next(at: .zero) == .start(0))
    queue.ended(0, holdSeconds: 90, of: ["b", "unknown"])
    #expect(queue.next(at: .zero) == .postpone(1, seconds: 90))
    #expect(queue.next(at: .zero) == .postpone(3, seconds: 90))
    #expect(queue.next(at: .zero) == .start(2))
    queue.ended(2, holdSeconds: 90, of: ["b", "a"])
    #expect(queue.next(at: .zero) == .finish)
  }

  @Test func nothingIsLostOrDoneTwiceWhateverTheOrder() {
    var random = SplitMix(state: 8)
    for _ in 1...200 {
      let count = Int.random(in: 0...40, using: &random)
      let names = (0..<count).map { _ in "s\(Int.random(in: 0..<6, using: &random))" }
      let bounds = limits(
        Int.random(in: 1...5, using: &random), Int.random(in: 1...3, using: &random),
        pause: .seconds(Int.random(in: 0...2, using: &random)))
      #expect(Self.run(names, bounds, &random) == Array(0..<count))
    }
  }

  /// Runs a queue to its end, and returns what it did, sorted.
  private static func run(
    _ names: [String], _ limits: CrowdLimits, _ random: inout SplitMix
  ) -> [Int] {
    var queue = FetchQueue(servers: names, limits: limits)
    var now: Duration = .zero
    var running: [Int] = []
    var done: [Int] = []
    while true {
      switch queue.next(at: now) {
      case .finish: return done.sorted()
      case .postpone(let index, _): done.append(index)
      case .start(let index):
        running.append(index)
        let same = running.filter { names[$0] == names[index] }
        #expect(running.count <= limits.concurrent && same.count <= limits.perServer)
      case .waitUntil(let moment): now = moment
      case .waitForOne:
        let index = running.remove(at: Int.random(in: 0..<running.count, using: &random))
        done.append(index)
        let isHeld = Int.random(in: 0..<8, using: &random) == 0
        queue.ended(index, holdSeconds: isHeld ? 60 : nil)
      }
    }
  }
}

/// Numbers that are the same in every run.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
