import AsyncHTTPClient
import NIOCore
import NIOSSL

/// Carries requests by async-http-client, over HTTP/1.1 or HTTP/2, with TLS verified.
///
/// Redirects are not followed here: where one leads, and what may be sent there, is decided by
/// ``RedirectTrail`` and ``FeedFetcher``.
final class WebClient: HTTPTransport {
  private let client: HTTPClient
  private let limits: FetchLimits
  private let time: FetchTime

  /// Ready to carry; ``close()`` has to be called before it goes.
  init(_ configuration: FetchConfiguration, time: FetchTime) {
    limits = configuration.limits
    self.time = time
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.additionalTrustRoots = configuration.trustedCertificateFiles.map { .file($0) }
    var settings = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow,
      timeout: .init(
        connect: Self.amount(limits.connectSeconds), read: Self.amount(limits.pauseSeconds)),
      decompression: .disabled)
    settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
      configuration.crowd.perServer
    // A refused connection is an answer: whether and when to try again is the policy's to say.
    settings.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
  }

  /// Ends every connection.
  func close() async throws { try await client.shutdown() }

  static func amount(_ seconds: Double) -> TimeAmount {
    .nanoseconds(Int64(max(0, min(seconds, 1e9)) * 1e9))
  }

  func get(_ request: HTTPGet) async -> Result<HTTPReply, FetchError.Cause> {
    let limit = limits.totalSeconds
    return await withTaskGroup(of: Result<HTTPReply, FetchError.Cause>.self) { group in
      group.addTask { await self.exchange(request) }
      group.addTask {
        do {
          try await self.time.sleep(.seconds(limit))
          return .failure(.timedOut(.transferring, limit: limit))
        } catch {
          return .failure(.cancelled)
        }
      }
      let first = await group.next() ?? .failure(.cancelled)
      group.cancelAll()
      return first
    }
  }

  private func exchange(_ request: HTTPGet) async -> Result<HTTPReply, FetchError.Cause> {
    var outgoing = HTTPClientRequest(url: request.address.url)
    for field in request.fields { outgoing.headers.add(name: field.name, value: field.value) }
    let failures = FailureReading(host: request.address.host, limits: limits)
    let response: HTTPClientResponse
    do {
      response = try await client.execute(
        outgoing, timeout: Self.amount(limits.answerSeconds))
    } catch {
      return .failure(failures.cause(of: error, body: nil))
    }
    let status = Int(response.status.code)
    let fields = HTTPFields(response.headers.map { (name: $0.name, value: $0.value) })
    switch request.plan(status, fields) {
    case .leave: return .success(HTTPReply(status: status, fields: fields, body: []))
    case .refuse(let cause): return .failure(cause)
    case .read:
      return await read(response, failures: failures, fields: fields).map {
        HTTPReply(status: status, fields: fields, body: $0)
      }
    }
  }

  private func read(
    _ response: HTTPClientResponse, failures: FailureReading, fields: HTTPFields
  ) async -> Result<[UInt8], FetchError.Cause> {
    // The length is of what was sent; what comes here is unpacked.
    let encoding = fields.list("content-encoding").first?.lowercased()
    let packing = encoding.flatMap { BodyUnpacker.Packing(name: $0) }
    let expected = packing == nil ? fields["content-length"].flatMap { Int($0) } : nil
    if let expected, expected > limits.bodyBytes {
      return .failure(.tooLarge(limit: limits.bodyBytes))
    }
    let unpacker = packing.map { BodyUnpacker($0, limit: limits.bodyBytes) }
    var body: [UInt8] = []
    var received = 0
    do {
      for try await part in response.body {
        received += part.readableBytes
        if let unpacker {
          try part.withUnsafeReadableBytes { try unpacker.add($0) }
          continue
        }
        guard received <= limits.bodyBytes else {
          return .failure(.tooLarge(limit: limits.bodyBytes))
        }
        body.append(contentsOf: part.readableBytesView)
      }
      return .success(try unpacker?.finished() ?? body)
    } catch let cause as FetchError.Cause {
      return .failure(cause)
    } catch {
      let progress = FailureReading.Progress(received: received, expected: expected)
      return .failure(failures.cause(of: error, body: progress))
    }
  }
}
