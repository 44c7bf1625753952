import FeedReading

@testable import FeedFetching

/// Short ways to fetch.
enum Fetching {
  /// 2024-01-01T00:00:00Z.
  static let now = FeedInstant(secondsSince1970: 1_704_067_200)
  static let time = FetchTime(wall: { now })

  static var configuration: FetchConfiguration {
    var configuration = FetchConfiguration(userAgent: "nerdfeed/test")
    configuration.crowd.pause = .zero
    configuration.limits.connectSeconds = 5
    configuration.limits.answerSeconds = 20
    return configuration
  }

  /// What comes of one request to a server that answers so.
  static func outcome(
    _ configuration: FetchConfiguration = configuration, validators: FetchValidators? = nil,
    playing script: @escaping PlayedServer.Script
  ) async throws -> FetchOutcome {
    try await PlayedServer.run(script) { server in
      try await outcome(server.url("/feed"), configuration, validators: validators)
    }
  }

  /// What comes of one request to an address.
  static func outcome(
    _ url: String, _ configuration: FetchConfiguration = configuration,
    validators: FetchValidators? = nil, credentials: FeedCredentials? = nil
  ) async throws -> FetchOutcome {
    let request = FetchRequest(
      address: try FeedAddress(url), validators: validators, credentials: credentials)
    return try await FeedFetcher.run(configuration, time: time) { await $0.fetch(request) }
  }
}

extension FetchOutcome {
  var document: FetchedDocument? {
    if case .fetched(let document) = self { document } else { nil }
  }

  var error: FetchError? {
    switch self {
    case .failed(let error), .gone(let error): error
    default: nil
    }
  }
}
