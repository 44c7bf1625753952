import FeedReading
import Foundation

/// A file that a command reads whole.
enum InputFile {
  /// Which files are read.
  enum Kind {
    /// Whatever a user names, such as what a shell gives for `<(…)`.
    case any
    /// What a subscription names: a pipe that nobody writes into would be waited for.
    case regular
  }

  private static let partBytes = 64 << 10

  /// The bytes of a file; `-` is standard input.
  ///
  /// Not many more than a document may have, so that it is refused for its size.
  /// - throws: ``FeedError`` with the reason if it cannot be read.
  static func contents(of file: String, kind: Kind = .any) throws -> [UInt8] {
    if file == "-", kind == .any { return try contents(of: STDIN_FILENO, named: file) }
    let waiting = kind == .regular ? O_NONBLOCK : 0
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | waiting)
    guard descriptor >= 0 else { throw unreadable(file, errno) }
    defer { close(descriptor) }
    var status = stat()
    if kind == .regular, fstat(descriptor, &status) == 0,
      ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    {
      throw unreadable(file, "it is no file, but a pipe or a device")
    }
    return try contents(of: descriptor, named: file)
  }

  /// The bytes of a file that a subscription names.
  ///
  /// - throws: ``FeedError`` if it cannot be read, or does not come in time: one on a file system
  ///   whose server is away would keep all other feeds waiting.
  static func contents(of file: String, within seconds: Double) throws -> [UInt8] {
    let bytes = try Patience.run(seconds: seconds) { try contents(of: file, kind: .regular) }
    guard let bytes else {
      throw unreadable(file, "it did not come within \(Int(seconds)) s: its server may be away")
    }
    return bytes
  }

  private static func contents(of descriptor: Int32, named file: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: partBytes)
    while bytes.count <= FeedLimits.documentBytes {
      let count = read(descriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(file, errno) }
      guard count > 0 else { break }
      bytes += part[..<count]
    }
    return bytes
  }

  private static func unreadable(_ file: String, _ code: Int32) -> FeedError {
    unreadable(file, String(cString: strerror(code)))
  }

  private static func unreadable(_ file: String, _ reason: String) -> FeedError {
    FeedError(.unreadable(reason), operation: "read the file", file: file)
  }
}
