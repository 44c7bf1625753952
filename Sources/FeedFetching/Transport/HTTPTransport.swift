import FeedReading

/// One GET request.
struct HTTPGet: Sendable {
  let address: FeedAddress
  let fields: [(name: String, value: String)]
  /// What to do with the body, by the status and the fields of the answer.
  let plan: @Sendable (Int, HTTPFields) -> BodyPlan
}

/// What is done with the body of an answer.
enum BodyPlan: Sendable, Equatable {
  case read
  case leave
  case refuse(FetchError.Cause)
}

/// The answer to one request, without following redirects.
struct HTTPReply: Sendable, Equatable {
  let status: Int
  let fields: HTTPFields
  /// Unpacked; empty where it was left.
  let body: [UInt8]
}

/// Who carries requests to servers.
protocol HTTPTransport: Sendable {
  /// Sends one request and waits for its answer, within the limits of time and size.
  func get(_ request: HTTPGet) async -> Result<HTTPReply, FetchError.Cause>
}

/// The time, as it is passed in.
///
///     FetchTime(wall: { FeedInstant(secondsSince1970: Int64(time(nil))) })
public struct FetchTime: Sendable {
  /// What the calendar says.
  public let wall: @Sendable () -> FeedInstant
  /// How long since some moment; never goes back.
  public let elapsed: @Sendable () -> Duration
  /// Waits; ends early with an error if the task is cancelled.
  public let sleep: @Sendable (Duration) async throws -> Void

  /// Time by its parts.
  public init(
    wall: @escaping @Sendable () -> FeedInstant, elapsed: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    (self.wall, self.elapsed, self.sleep) = (wall, elapsed, sleep)
  }

  /// The system's steady clock, with the calendar of the caller.
  public init(wall: @escaping @Sendable () -> FeedInstant) {
    let start = ContinuousClock.now
    self.init(
      wall: wall, elapsed: { ContinuousClock.now - start },
      sleep: { try await Task.sleep(for: $0, clock: .continuous) })
  }
}
