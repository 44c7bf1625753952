import Glibc
import SystemPackage

/// Wakes a thread that waits in poll(2).
final class Bell: Sendable {
  private let input: Descriptor
  private let output: Descriptor

  /// What becomes readable when it is rung.
  var number: Int32 { output.number }

  init() throws(Errno) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .last }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    output = Descriptor(ends[0])
    input = Descriptor(ends[1])
  }

  /// A full pipe has been rung often enough.
  func ring() {
    var byte: UInt8 = 0
    _ = write(input.number, &byte, 1)
  }

  func silence() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(output.number, &bytes, bytes.count) == bytes.count {}
  }
}
