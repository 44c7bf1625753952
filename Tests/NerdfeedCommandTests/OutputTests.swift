import Foundation
import Testing

@testable import NerdfeedCommand

/// What a command says arrives whole, whoever reads it.
@Suite struct OutputTests {
  @Test(.timeLimit(.minutes(5)))
  func aSlowReaderIsWaitedForAlsoWhereThePipeDoesNotBlock() throws {
    let pipe = Pipe()
    let (reading, writing) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
    let descriptor = writing.fileDescriptor
    try #require(fcntl(descriptor, F_SETFL, O_WRONLY | O_NONBLOCK) == 0)
    // F_GETPIPE_SZ, which is not imported.
    let room = fcntl(descriptor, 1032)
    try #require(room > 0)
    let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 4 * Int(room))
    let isOver = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      Output.write(bytes, to: descriptor)
      // Its reader comes to an end, also of less.
      try? writing.close()
      isOver.signal()
    }
    // Nothing is read until the pipe is full.
    var count: Int32 = 0
    while count < room, isOver.wait(timeout: .now() + .milliseconds(1)) == .timedOut {
      _ = ioctl(reading.fileDescriptor, UInt(FIONREAD), &count)
    }
    #expect(try reading.readToEnd()?.count == bytes.count)
  }
}
