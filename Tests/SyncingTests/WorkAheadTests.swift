import Dispatch
import DocumentStorage
import Glibc
import Synchronization
import Testing

@Suite("Work that is done ahead") struct WorkAheadTests {
  /// The numbers of those that were worked on.
  private final class Done: Sendable {
    private let numbers = Mutex<[Int]>([])

    func note(_ number: Int) { numbers.withLock { $0.append(number) } }
    var all: [Int] { numbers.withLock(\.self) }
  }

  /// Of 100 bytes ahead, by a thread whose end can be waited for.
  ///
  /// - parameter bytes: what each item turns out to take.
  private func scene(
    bytes: Int = 0
  ) -> (work: WorkAhead<Int, Int>, done: Done, helper: DispatchQueue) {
    let done = Done()
    let helper = DispatchQueue(label: "helper")
    let work = WorkAhead<Int, Int>(most: 100, on: WorkHelper(helper)) { number in
      done.note(number)
      return (number, bytes: bytes)
    }
    return (work, done, helper)
  }

  @Test("each item is worked on once, and comes out in its place")
  func order() {
    let done = Done()
    let squares = WorkAhead<Int, Int>(most: 64, on: WorkHelper()) { number in
      done.note(number)
      return (number * number, bytes: 8)
    }
    let numbers = (0..<1000).map { squares.add($0) }
    #expect(numbers.map { squares.take($0) } == (0..<1000).map { $0 * $0 })
    #expect(done.all.sorted() == Array(0..<1000))
  }

  @Test("who takes an item again gets nothing")
  func again() {
    let work = WorkAhead<Int, Int>(most: 8, on: nil) { ($0, bytes: 0) }
    let number = work.add(7)
    #expect(work.take(number) == 7)
    #expect(work.take(number) == nil)
  }

  private final class Held: Sendable {}

  @Test("what is given back stays until the other thread goes on, and not where it is large")
  func givenBack() {
    let (added, reached) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let gate = DispatchSemaphore(value: 0)
    let helper = DispatchQueue(label: "helper")
    let work = WorkAhead<Int, Held>(most: 8 << 20, on: WorkHelper(helper)) { number in
      // It does not begin the last one if that comes when it has done all before it.
      if number == 0 { added.wait() }
      if number == 2 {
        reached.signal()
        gate.wait()
      }
      return (Held(), bytes: 0)
    }
    let numbers = [8, 2 << 20, 8].enumerated().map { work.add($0, bytes: $1) }
    added.signal()
    reached.wait()
    weak var small: Held?
    weak var large: Held?
    do {
      let values = numbers.prefix(2).map { work.take($0) }
      (small, large) = (values[0], values[1])
      for (value, number) in zip(values, numbers) {
        if let value { work.giveBack(value, of: number) }
      }
    }
    #expect(small != nil)
    #expect(large == nil)
    gate.signal()
    helper.sync {}
    #expect(small == nil)
    // Nobody is at work who would let go of it.
    weak var last: Held?
    do {
      let value = work.take(numbers[2])
      last = value
      if let value { work.giveBack(value, of: numbers[2]) }
    }
    #expect(last == nil)
  }

  @Test("where no other thread may work, it is done as it is taken")
  func alone() {
    let done = Done()
    let work = WorkAhead<Int, pthread_t>(most: 1 << 20, on: nil) { number in
      done.note(number)
      return (pthread_self(), bytes: 0)
    }
    let numbers = (0..<10).map { work.add($0) }
    #expect(done.all.isEmpty)
    for number in numbers { #expect(work.take(number) == pthread_self()) }
    #expect(done.all == Array(0..<10))
  }

  /// What is known before counts, and what comes to be known.
  @Test("no more is done ahead than may be", arguments: [(30, 0), (0, 30), (10, 20)])
  func limit(before: Int, after: Int) {
    let (work, done, helper) = scene(bytes: after)
    let numbers = (0..<10).map { work.add($0, bytes: before) }
    helper.sync {}
    let ahead = done.all.count
    // Of what is not known before, one may be too much.
    #expect(ahead == (before == 30 ? 3 : 4))
    for (taken, number) in numbers.enumerated() {
      #expect(work.take(number) == taken)
      helper.sync {}
      #expect(done.all == Array(0..<min(ahead + taken + 1, 10)))
    }
  }

  @Test("one that is larger than all that may be ahead is done ahead alone")
  func large() {
    let (work, done, helper) = scene()
    let numbers = (0..<3).map { work.add($0, bytes: 1000) }
    helper.sync {}
    #expect(done.all == [0])
    #expect(work.take(numbers[0]) == 0)
    helper.sync {}
    #expect(done.all == [0, 1])
  }

  @Test("nothing more is done ahead once nobody is going to take it, and what is taken still is")
  func end() {
    let (work, done, helper) = scene()
    let numbers = (0..<9).map { work.add($0, bytes: 50) }
    helper.sync {}
    #expect(done.all == [0, 1])
    work.end()
    #expect(work.take(numbers[0]) == 0)
    helper.sync {}
    #expect(done.all == [0, 1])
    #expect(work.take(numbers[5]) == 5)
  }

  @Test("who does not want to wait takes what is ready, and others begin the next")
  func ready() {
    let (work, done, helper) = scene()
    let numbers = (0..<6).map { work.add($0, bytes: 40) }
    helper.sync {}
    #expect(done.all == [0, 1])
    #expect(work.take(ifReady: numbers[2]) == nil)
    #expect(work.take(ifReady: numbers[0]) == 0)
    #expect(work.take(ifReady: numbers[0]) == nil)
    helper.sync {}
    #expect(done.all == [0, 1, 2])
    #expect(numbers.dropFirst().map { work.take($0) } == [1, 2, 3, 4, 5])
  }

  @Test("what is dropped is not begun, takes no memory, and is not there any more")
  func dropped() {
    let (work, done, helper) = scene(bytes: 10)
    let numbers = (0..<9).map { work.add($0, bytes: 40) }
    helper.sync {}
    #expect(done.all == [0, 1])
    work.drop(numbers[3])
    // It wakes nobody; who takes the next one does.
    work.drop(numbers[1])
    #expect(work.take(numbers[0]) == 0)
    helper.sync {}
    #expect(done.all == [0, 1, 2, 4])
    #expect(numbers.dropFirst().map { work.take($0) } == [nil, 2, nil, 4, 5, 6, 7, 8])
  }

  @Test("what is dropped while somebody is at work on it takes no memory then")
  func droppedMeanwhile() {
    let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let helper = DispatchQueue(label: "helper")
    let done = Done()
    let work = WorkAhead<Int, Int>(most: 100, on: WorkHelper(helper)) { number in
      done.note(number)
      if number == 0 {
        begun.signal()
        gate.wait()
      }
      return (number, bytes: 90)
    }
    let numbers = (0..<3).map { work.add($0, bytes: 10) }
    begun.wait()
    work.drop(numbers[0])
    gate.signal()
    helper.sync {}
    #expect(done.all == [0, 1])
    #expect(numbers.map { work.take($0) } == [nil, 1, 2])
  }

  @Test("one item alone wakes nobody")
  func one() {
    let (work, done, helper) = scene()
    let number = work.add(1)
    helper.sync {}
    #expect(done.all.isEmpty)
    #expect(work.take(number) == 1)
  }
}
