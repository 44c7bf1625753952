import FeedSync
import Foundation

/// What is read from standard input as a whole.
enum StandardInput {
  private static let pieceBytes = 1 << 16

  /// Reads to the end, or until it has `enough` bytes or a few more.
  static func read(enough: Int = .max) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: pieceBytes)
    while bytes.count < enough {
      let count = Foundation.read(STDIN_FILENO, &piece, piece.count)
      if count < 0, errno == EINTR || errno == EAGAIN && waitForMore() { continue }
      guard count >= 0 else { throw failure(errno) }
      if count == 0 { break }
      bytes += piece[..<count]
    }
    return bytes
  }

  static func failure(_ code: Int32) -> FeedSyncError {
    FeedSyncError(
      .cannotRead, operation: "read standard input",
      message: "cannot read standard input: \(String(cString: strerror(code)))")
  }

  /// Waits where another program has made the pipe such as does not block.
  private static func waitForMore() -> Bool {
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    while poll(&input, 1, -1) < 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }
}
