import Glibc
import SystemFiles
import SystemPackage

/// Wakes a thread that waits in poll(2).
final class Bell: Sendable {
  private let input: Descriptor
  private let output: Descriptor

  /// What becomes readable when it is rung.
  var number: Int32 { output.number }

  init() throws(Errno) {
    guard let ends = RawLinux.pipe() else { throw .last }
    output = Descriptor(ends.output)
    input = Descriptor(ends.input)
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
