import FeedReading
import Synchronization
import Testing

@testable import FeedFetching

/// Time that passes only when a test says so.
final class ManualTime: Sendable {
  private struct Sleeper {
    let id: Int
    let end: Duration
    let wake: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now: Duration = .zero
    var sleepers: [Sleeper] = []
    var cancelled: Set<Int> = []
    var nextID = 0
  }

  private let state = Mutex(State())

  var now: Duration { state.withLock { $0.now } }

  var fetchTime: FetchTime {
    FetchTime(
      wall: { Fetching.now.adding(Int(self.now.components.seconds)) }, elapsed: { self.now },
      sleep: { try await self.sleep($0) })
  }

  func sleep(_ duration: Duration) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wake in
        let isCancelled = state.withLock { state in
          if state.cancelled.contains(id) { return true }
          state.sleepers.append(Sleeper(id: id, end: state.now + duration, wake: wake))
          return false
        }
        if isCancelled { wake.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        state.cancelled.insert(id)
        guard let place = state.sleepers.firstIndex(where: { $0.id == id }) else { return nil }
        return state.sleepers.remove(at: place)
      }
      sleeper?.wake.resume(throwing: CancellationError())
    }
  }

  /// Waits until so many sleep, which takes no time of this clock.
  func waitForSleepers(_ count: Int) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while state.withLock({ $0.sleepers.count }) < count {
      try #require(ContinuousClock.now < end, "nobody sleeps")
      await Task.yield()
    }
  }

  /// Lets time pass until the next one wakes.
  func advance() {
    let sleeper = state.withLock { state -> Sleeper? in
      guard
        let place = state.sleepers.indices.min(by: {
          state.sleepers[$0].end < state.sleepers[$1].end
        })
      else { return nil }
      let sleeper = state.sleepers.remove(at: place)
      state.now = max(state.now, sleeper.end)
      return sleeper
    }
    sleeper?.wake.resume()
  }
}

/// Servers that take a second for an empty answer.
final class ManualTransport: HTTPTransport {
  let time: ManualTime
  private let starts = Mutex<[Duration]>([])

  init(time: ManualTime) { self.time = time }

  /// When each request began.
  var begun: [Duration] { starts.withLock { $0 } }

  func get(_ request: HTTPGet) async -> Result<HTTPReply, FetchError.Cause> {
    starts.withLock { $0.append(time.now) }
    do {
      try await time.sleep(.seconds(1))
      return .success(HTTPReply(status: 200, fields: HTTPFields([]), body: []))
    } catch {
      return .failure(.cancelled)
    }
  }
}
