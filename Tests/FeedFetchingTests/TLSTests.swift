import Foundation
import NIOSSL
import Testing

@testable import FeedFetching

/// A certificate that nobody vouches for, made for one run by the command `openssl`.
struct TestCertificate {
  let context: NIOSSLContext
  let file: String

  /// Where the command is; nil on machines without it.
  static let command = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/bin/openssl"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Makes one for these names, valid for so many days from a moment on.
  init(in folder: URL, names: String, start: String? = nil, end: String? = nil) throws {
    let key = folder.appending(path: "key.pem").path
    file = folder.appending(path: "certificate.pem").path
    var arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-keyout", key, "-out", file, "-subj", "/CN=feeds", "-addext", "subjectAltName=\(names)",
    ]
    if let start, let end {
      arguments += ["-not_before", start, "-not_after", end]
    } else {
      arguments += ["-days", "2"]
    }
    let process = Process()
    process.executableURL = URL(filePath: try #require(Self.command))
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    context = try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMFile(file).map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))))
  }
}

@Suite(
  .enabled(
    if: TestCertificate.command != nil, "there is no openssl here to make certificates with"))
struct TLSTests {
  private func withCertificate(
    _ names: String, host: String = "127.0.0.1", trusted: Bool = false,
    script: @escaping PlayedServer.Script = { _ in Replies.feed() },
    check: (FetchOutcome, PlayedServer) throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let certificate = try TestCertificate(in: folder, names: names)
    var configuration = Fetching.configuration
    if trusted { configuration.trustedCertificateFiles = [certificate.file] }
    try await PlayedServer.run(script, tls: certificate.context) { server in
      let url = server.url("/feed", host: host)
      try check(try await Fetching.outcome(url, configuration), server)
    }
  }

  @Test func aCertificateThatNobodyVouchesForIsRefused() async throws {
    try await withCertificate("IP:127.0.0.1") { outcome, server in
      let error = try #require(outcome.error)
      #expect(error.cause == .untrustedCertificate(host: "127.0.0.1"))
      #expect(error.message.contains("certificate of 127.0.0.1 is not trusted"))
      #expect(server.requests.isEmpty)
    }
  }

  @Test func oneThatIsTrustedInTheSettingsWillDo() async throws {
    try await withCertificate("IP:127.0.0.1", trusted: true) { outcome, _ in
      #expect(outcome.document?.body == Array(Replies.rss.utf8), "\(outcome)")
    }
    try await withCertificate("DNS:localhost", host: "localhost", trusted: true) { outcome, _ in
      #expect(outcome.document != nil, "\(outcome)")
    }
  }

  @Test func oneForAnotherNameIsRefusedThoughTrusted() async throws {
    try await withCertificate("DNS:e.org", host: "localhost", trusted: true) { outcome, server in
      let error = try #require(outcome.error)
      #expect(error.cause == .certificateForAnotherHost(host: "localhost"))
      #expect(server.requests.isEmpty)
    }
  }

  @Test func aRedirectToHTTPIsRefusedAndNamesTheAddress() async throws {
    try await withCertificate(
      "IP:127.0.0.1", trusted: true,
      script: { _ in Replies.redirect(301, to: "http://127.0.0.1:1/feed") }
    ) { outcome, _ in
      let error = try #require(outcome.error)
      #expect(error.cause == .redirectToInsecure("http://127.0.0.1:1/feed"))
      #expect(error.hint?.contains("http://127.0.0.1:1/feed") == true)
    }
  }

  @Test func aServerWithoutTLSIsSaidToHaveNone() async throws {
    try await PlayedServer.run({ _ in [.text("HTTP/1.1 400 Bad Request\r\n\r\n"), .close] }) {
      server in
      // The server plays once it has heard an empty line, which TLS need not have: it may wait.
      var configuration = Fetching.configuration
      configuration.limits.connectSeconds = 0.5
      let url = server.url("/feed").replacing("http:", with: "https:")
      let error = try #require(try await Fetching.outcome(url, configuration).error)
      #expect(
        error.cause == .timedOut(.connecting, limit: 0.5)
          || error.cause == .insecure("the server does not speak TLS there"))
    }
  }

  @Test func aFileOfCertificatesThatIsNotThereIsSaidToBeMissing() async throws {
    var configuration = Fetching.configuration
    configuration.trustedCertificateFiles = ["/nowhere.pem"]
    try await PlayedServer.run({ _ in [] }) { server in
      let url = server.url("/feed").replacing("http:", with: "https:")
      let error = try #require(try await Fetching.outcome(url, configuration).error)
      #expect(error.cause == .insecure("a file of trusted certificates cannot be read"))
    }
  }
}
