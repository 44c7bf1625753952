import Foundation
import Testing

@testable import NerdfeedCommand

/// What a command says arrives whole, whoever reads it.
@Suite struct OutputTests {
  @Test("A terminal that has gone is told, and ends nothing")
  func aTerminalThatHasGone() throws {
    let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (lock, number): (Int32, Int32) = (0, -1)
    // TIOCSPTLCK and TIOCGPTN, which are not imported.
    try #require(ioctl(terminal, 0x4004_5431, &lock) == 0)
    try #require(ioctl(terminal, 0x8004_5430, &number) == 0)
    let screen = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(screen >= 0)
    defer { close(screen) }
    #expect(Output.put(Array("shown".utf8), to: screen) == nil)
    close(terminal)
    #expect(Output.put(Array("not shown".utf8), to: screen) == EIO)
  }

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
