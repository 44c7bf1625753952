/// How feeds are fetched.
///
///     var configuration = FetchConfiguration(userAgent: "nerdfeed/0.1.0 (feed reader)")
///     configuration.limits.bodyBytes = 10 << 20
public struct FetchConfiguration: Sendable, Equatable {
  /// Who asks, with a version, and a page or address where that has been published.
  public var userAgent: String
  /// How long and how much.
  public var limits = FetchLimits()
  /// How redirects are followed.
  public var redirects = RedirectPolicy()
  /// What may be kept on disk.
  public var storage = StoragePolicy()
  /// How many requests run at once.
  public var crowd = CrowdLimits()
  /// Files in PEM with certificates that are trusted besides the system's.
  public var trustedCertificateFiles: [String] = []

  /// The usual configuration.
  public init(userAgent: String) { self.userAgent = userAgent }
}

/// How long a request may take, and how large its answer may be.
public struct FetchLimits: Sendable, Equatable {
  /// Until there is a connection, in seconds.
  public var connectSeconds = 10.0
  /// Until the answer begins, the connection included, in seconds.
  public var answerSeconds = 30.0
  /// Between two parts of a body, in seconds.
  public var pauseSeconds = 30.0
  /// The whole of one request and its answer, in seconds.
  public var totalSeconds = 120.0
  /// The largest body, unpacked, in bytes.
  public var bodyBytes = 64 << 20

  /// The usual limits.
  public init() {}
}

/// How many requests run at once.
public struct CrowdLimits: Sendable, Equatable {
  /// In all.
  public var concurrent = 16
  /// To one server.
  public var perServer = 2
  /// Between two beginnings at one server.
  public var pause: Duration = .milliseconds(100)

  /// The usual limits.
  public init() {}
}
