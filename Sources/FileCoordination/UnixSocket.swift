import Glibc
import SystemFiles
import SystemPackage

/// A Unix socket that only its owner's processes may speak on; no call on it blocks.
struct UnixSocket: Sendable {
  let descriptor: Descriptor

  private static let backlog: Int32 = 512
  private static let shortages: [Errno] = [
    .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noBufferSpace, .noMemory,
  ]

  /// Listens at a path where nothing may stand.
  static func listen(at path: FilePath) throws(Errno) -> UnixSocket {
    let socket = try make(SOCK_NONBLOCK)
    // Before anybody can connect, however wide the umask is; the directory is closed besides.
    guard fchmod(socket.descriptor.number, 0o600) == 0 else { throw .last }
    try withAddress(path) { Glibc.bind(socket.descriptor.number, $0, $1) }
    guard path.withPlatformString({ chmod($0, 0o600) }) == 0,
      Glibc.listen(socket.descriptor.number, backlog) == 0
    else { throw .last }
    return socket
  }

  /// Connects to whoever listens.
  ///
  /// - throws: `Errno.wouldBlock` if so many wait to be accepted that there is no room.
  static func connect(to path: FilePath) throws(Errno) -> UnixSocket {
    let socket = try make(SOCK_NONBLOCK)
    try withAddress(path) { Glibc.connect(socket.descriptor.number, $0, $1) }
    return socket
  }

  /// The next one who connects; nil if nobody does.
  ///
  /// - throws: if somebody does, and there is no descriptor or memory for that.
  func accept() throws(Errno) -> UnixSocket? {
    let number = RawLinux.accept(descriptor.number)
    guard number >= 0 else {
      let error = Errno.last
      if Self.shortages.contains(error) { throw error }
      return nil
    }
    return UnixSocket(descriptor: Descriptor(number))
  }

  /// Who is at the other end (`SO_PEERCRED` of `unix(7)`): the process id and the user.
  func peer() throws(Errno) -> (process: Int32, user: UInt32) {
    var credentials: (Int32, UInt32, UInt32) = (0, .max, 0)
    var count = socklen_t(MemoryLayout.size(ofValue: credentials))
    // The constant is not in Swift's Glibc.
    guard getsockopt(descriptor.number, SOL_SOCKET, 17, &credentials, &count) == 0 else {
      throw .last
    }
    return (credentials.0, credentials.1)
  }

  /// Sends as much as there is room for, which may be nothing.
  func send(_ bytes: ArraySlice<UInt8>) throws(Errno) -> Int {
    while true {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 { return count }
      let error = Errno.last
      if error == .wouldBlock || error == .resourceTemporarilyUnavailable { return 0 }
      if error != .interrupted { throw error }
    }
  }

  /// Reads what is there; nothing at the end, and nil if there is nothing now.
  func receive(into buffer: inout [UInt8]) throws(Errno) -> ArraySlice<UInt8>? {
    while true {
      let count = buffer.withUnsafeMutableBytes {
        recv(descriptor.number, $0.baseAddress, $0.count, 0)
      }
      if count >= 0 { return buffer[..<count] }
      let error = Errno.last
      if error == .wouldBlock || error == .resourceTemporarilyUnavailable { return nil }
      if error != .interrupted { throw error }
    }
  }

  /// Ends the connection for whoever waits on it, on either side.
  func shutDown() { _ = shutdown(descriptor.number, Int32(SHUT_RDWR)) }

  private static let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)

  private static func make(_ type: __socket_type) throws(Errno) -> UnixSocket {
    try make(Int32(type.rawValue))
  }

  private static func make(_ flags: Int32) throws(Errno) -> UnixSocket {
    let type = Int32(SOCK_STREAM.rawValue) | closeOnExec | flags
    return UnixSocket(descriptor: try Descriptor(returned: socket(AF_UNIX, type, 0)))
  }

  private static func withAddress(
    _ path: FilePath, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(Errno) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let fits = path.withPlatformString { text in
      withUnsafeMutableBytes(of: &address.sun_path) { room in
        let count = strlen(text) + 1
        guard count <= room.count else { return false }
        room.copyMemory(from: UnsafeRawBufferPointer(start: text, count: count))
        return true
      }
    }
    guard fits else { throw .fileNameTooLong }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw .last }
  }
}
