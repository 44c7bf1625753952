import Glibc
import SystemFiles
import TestSupport
import Testing

@Suite("What is opened for this process alone") struct InheritanceTests {
  private func isClosedInChildren(_ descriptor: Int32) -> Bool {
    fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0
  }

  private func blocks(_ descriptor: Int32) -> Bool {
    fcntl(descriptor, F_GETFL) & O_NONBLOCK == 0
  }

  @Test("is a pipe, on which no call blocks")
  func pipes() throws {
    let ends = try #require(RawLinux.pipe())
    defer { for end in [ends.output, ends.input] { close(end) } }
    var byte: UInt8 = 7
    #expect(write(ends.input, &byte, 1) == 1)
    byte = 0
    #expect(read(ends.output, &byte, 1) == 1 && byte == 7)
    for end in [ends.output, ends.input] { #expect(isClosedInChildren(end) && !blocks(end)) }
  }

  @Test("is a connection that was accepted, on which no call blocks")
  func connections() throws {
    // Without a name, so that the system gives them one.
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    defer { for number in [listener, client] { close(number) } }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var count = socklen_t(MemoryLayout<sa_family_t>.size)
    let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        guard bind(listener, pointer, count) == 0, listen(listener, 1) == 0 else { return false }
        count = socklen_t(MemoryLayout<sockaddr_un>.size)
        return getsockname(listener, pointer, &count) == 0 && connect(client, pointer, count) == 0
      }
    }
    try #require(isConnected)
    let accepted = RawLinux.accept(listener)
    try #require(accepted >= 0)
    defer { close(accepted) }
    #expect(isClosedInChildren(accepted) && !blocks(accepted))
  }
}
