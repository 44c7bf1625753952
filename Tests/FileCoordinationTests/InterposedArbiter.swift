import Foundation
import Glibc
import Synchronization
import SystemPackage
import Testing

/// Stands where the arbiter's socket was and hands on what is said, both ways, until it is told to
/// say something else in the arbiter's place.
final class InterposedArbiter: Sendable {
  /// What is said instead of the arbiter's next words.
  private let instead = Mutex<[UInt8]?>(nil)
  private let listener: Int32
  private let real: FilePath

  init(at socket: FilePath) throws {
    real = FilePath("\(socket).real")
    try FileManager.default.moveItem(atPath: socket.string, toPath: real.string)
    listener = try Self.listen(at: socket)
    Thread.detachNewThread { [listener, real, self] in
      while case let member = accept(listener, nil, nil), member >= 0 {
        guard let arbiter = try? Self.connect(to: real) else { return }
        Thread.detachNewThread { self.handOn(between: member, and: arbiter) }
      }
    }
  }

  func say(_ bytes: [UInt8]) { instead.withLock { $0 = bytes } }

  var hasSaidIt: Bool { instead.withLock { $0 == nil } }

  private func handOn(between member: Int32, and arbiter: Int32) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    defer { for end in [member, arbiter] { close(end) } }
    while true {
      var waits = [member, arbiter].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      _ = poll(&waits, 2, -1)
      let (from, to) = waits[0].revents != 0 ? (member, arbiter) : (arbiter, member)
      let count = recv(from, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      var bytes = Array(buffer[..<count])
      if from == arbiter, let other = instead.withLock({ $0.take() }) { bytes = other }
      guard Glibc.send(to, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
        return
      }
    }
  }

  /// No more than about this many may wait to be accepted.
  static let backlog: Int32 = 8

  static func listen(at path: FilePath) throws -> Int32 {
    let descriptor = try open(path, Glibc.bind)
    try #require(Glibc.listen(descriptor, backlog) == 0)
    return descriptor
  }

  static func connect(to path: FilePath) throws -> Int32 {
    try open(path, Glibc.connect)
  }

  private static func open(
    _ path: FilePath, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws -> Int32 {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.string.utf8) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    // Nothing is expected: somebody may connect anew when the test has ended its arbiter.
    guard result == 0 else { throw Errno(rawValue: errno) }
    return descriptor
  }
}
