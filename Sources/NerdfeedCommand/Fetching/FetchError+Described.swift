import FeedFetching
import FeedLibrary
import FeedSync

extension FetchError {
  /// As the command words its errors, with the exit status of each.
  var described: LibraryError {
    LibraryError(
      .store(
        FeedSyncError(
          code, operation: operation.rawValue, file: url, message: message,
          hint: localHint ?? hint)),
      operation: operation.rawValue, subject: url)
  }

  /// What may help, where that is set on this machine.
  private var localHint: String? {
    switch cause {
    case .status(401), .status(403):
      "it may need a name and a password: 'nerdfeed add' keeps those of an address such as"
        + " https://ann:secret@example.org/feed"
    case .untrustedCertificate:
      "look at the page in a browser; what is in trusted.pem of ~/.config/nerdfeed is trusted, too"
    default: nil
    }
  }

  /// 75 is for what may be over when it is tried again.
  private var code: FeedSyncError.Code {
    switch cause {
    case .invalidAddress: .usage
    case .hostNotFound, .connectionRefused, .unreachable, .timedOut, .closedEarly, .truncated,
      .status(429), .status(500...599), .cancelled:
      .tryAgain
    case .untrustedCertificate, .certificateForAnotherHost, .insecure, .redirectToInsecure,
      .status(401), .status(403):
      .notPermitted
    case .status(404), .status(410): .noContainer
    case .noFeed, .mediaType, .tooLarge, .unknownEncoding, .damagedEncoding, .malformed: .badInput
    case .redirectLoop, .tooManyRedirects, .badRedirect, .status, .unaskedNotModified, .other:
      .cannotRead
    }
  }
}
