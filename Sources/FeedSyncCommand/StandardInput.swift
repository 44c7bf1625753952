import FeedSync
import Foundation
import SystemPackage

/// What is read from standard input as a whole.
enum StandardInput {
  private static let pieceBytes = 1 << 16

  /// Reads to the end, or until it has `enough` bytes or a few more.
  static func read(enough: Int = .max) throws -> [UInt8] {
    do throws(Errno) {
      return try read(STDIN_FILENO, enough: enough)
    } catch {
      throw failure(error.rawValue)
    }
  }

  /// Reads a file to its end; it may be a pipe, as what a shell puts in the place of <(COMMAND).
  ///
  /// - parameter limit: How many bytes it may have at most.
  static func contents(
    of file: String, limit: Int = .max, operation: String
  ) throws -> [UInt8] {
    do throws(Errno) {
      let descriptor = open(file, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Errno(rawValue: errno) }
      defer { close(descriptor) }
      let bytes = try read(descriptor, enough: limit == .max ? .max : limit + 1)
      guard bytes.count <= limit else { throw .fileTooLarge }
      return bytes
    } catch {
      throw FeedSyncError(
        error == .permissionDenied ? .notPermitted : .cannotRead, operation: operation,
        file: file, message: "cannot read the file: \(error.description)")
    }
  }

  private static func read(_ descriptor: Int32, enough: Int) throws(Errno) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: pieceBytes)
    while bytes.count < enough {
      let count = Foundation.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR || errno == EAGAIN && waitForMore(descriptor) { continue }
      guard count >= 0 else { throw Errno(rawValue: errno) }
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
  private static func waitForMore(_ descriptor: Int32) -> Bool {
    var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&input, 1, -1) < 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }
}
