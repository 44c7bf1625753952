import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Makes causes of the errors of the libraries.
struct FailureReading {
  /// How far a body had come.
  struct Progress {
    let received: Int
    let expected: Int?
  }

  let host: String
  let limits: FetchLimits

  /// - parameter body: How far the body had come; nil if the answer had not begun.
  func cause(of error: any Error, body: Progress?) -> FetchError.Cause {
    switch error {
    case is CancellationError: .cancelled
    case let error as HTTPClientError: cause(of: error, body: body)
    case let error as HTTPParserError: cause(of: error, body: body)
    case let error as NIOConnectionError: cause(of: error)
    case let error as NIOSSLError: cause(of: error, body: body)
    case is NIOSSLExtraError: .certificateForAnotherHost(host: host)
    case let error as IOError: cause(ofCode: error.errnoCode, body: body)
    case let error as ChannelError: cause(of: error, body: body)
    default: .other(String(describing: error))
    }
  }

  private func cause(of error: HTTPClientError, body: Progress?) -> FetchError.Cause {
    switch error {
    case .cancelled: .cancelled
    case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
      .timedOut(.connecting, limit: limits.connectSeconds)
    case .deadlineExceeded: .timedOut(.answering, limit: limits.answerSeconds)
    case .readTimeout:
      body == nil
        ? .timedOut(.answering, limit: limits.pauseSeconds)
        : .timedOut(.pausing, limit: limits.pauseSeconds)
    case .remoteConnectionClosed, .uncleanShutdown: closed(body)
    case .invalidURL, .emptyHost: .invalidAddress(.badHost)
    default: .other(error.shortDescription)
    }
  }

  private func cause(of error: HTTPParserError, body: Progress?) -> FetchError.Cause {
    switch error {
    case .invalidEOFState, .closedConnection: closed(body)
    case .headerOverflow: .malformed("its header is too large")
    case .invalidContentLength, .unexpectedContentLength:
      .malformed("its Content-Length is none, or contradicts itself")
    case .invalidChunkSize: .malformed("a chunk has no size")
    case .invalidHeaderToken: .malformed("a header field has a name or value that none can have")
    case .invalidStatus, .invalidVersion, .invalidConstant:
      .malformed("it does not begin as an answer does")
    default: .malformed(String(describing: error))
    }
  }

  private func cause(of error: NIOConnectionError) -> FetchError.Cause {
    guard let first = error.connectionErrors.first?.error else { return .hostNotFound(error.host) }
    return cause(of: first, body: nil)
  }

  private func cause(of error: NIOSSLError, body: Progress?) -> FetchError.Cause {
    switch error {
    case .uncleanShutdown: return closed(body)
    case .handshakeFailed(let reason):
      let text = String(describing: reason)
      if text.contains("CERTIFICATE_VERIFY_FAILED") { return .untrustedCertificate(host: host) }
      if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
        return .insecure("the server does not speak TLS there")
      }
      if text.contains("EOF during handshake") { return .insecure("the server hung up") }
      return .insecure("the server and this program share no safe way")
    case .noCertificateToValidate, .unableToValidateCertificate:
      return .untrustedCertificate(host: host)
    case .failedToLoadCertificate, .noSuchFilesystemObject:
      return .insecure("a file of trusted certificates cannot be read")
    default: return .insecure(String(describing: error))
    }
  }

  private func cause(of error: ChannelError, body: Progress?) -> FetchError.Cause {
    switch error {
    case .connectTimeout: .timedOut(.connecting, limit: limits.connectSeconds)
    case .ioOnClosedChannel, .alreadyClosed, .eof, .inputClosed, .outputClosed: closed(body)
    default: .other(String(describing: error))
    }
  }

  private func cause(ofCode code: CInt, body: Progress?) -> FetchError.Cause {
    switch code {
    case ECONNREFUSED: .connectionRefused
    case ECONNRESET, EPIPE, ECONNABORTED: closed(body)
    case ETIMEDOUT: .timedOut(.connecting, limit: limits.connectSeconds)
    case ENETUNREACH: .unreachable("there is no way to its network")
    case EHOSTUNREACH, EHOSTDOWN: .unreachable("there is no way to the host")
    case EADDRNOTAVAIL: .unreachable("this machine has no address left to ask from")
    case EMFILE, ENFILE: .unreachable("too many files are open here")
    default: .unreachable(String(cString: strerror(code)))
    }
  }

  private func closed(_ body: Progress?) -> FetchError.Cause {
    guard let body else { return .closedEarly }
    return .truncated(received: body.received, expected: body.expected)
  }
}
