import FileCoordination
import Glibc
import SystemPackage

/// Adds one to the number in a file, again and again, and notes each in a file of its own.
///
/// The note is written inside of the access, after the file: whoever is killed between the two has
/// added one more than was noted, and never less.
struct Increments {
  private let coordinator: FileCoordinator
  private let file: FilePath
  private let count: Int

  init(_ domain: CoordinationDomain, _ words: [String]) throws {
    guard words.count == 2, let count = Int(words[1]) else {
      throw CoordinationPeer.Complaint.usage
    }
    coordinator = try FileCoordinator(domain)
    file = FilePath(words[0])
    self.count = count
  }

  func run() throws {
    let log = open("\(file.string).\(getpid())", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard log >= 0 else { throw CoordinationPeer.Complaint.file }
    for _ in 0..<count {
      try coordinator.write(file) { path in
        try coordinator.withOpen(path, .readWrite, options: .create) { descriptor in
          try Self.increment(descriptor)
        }
        _ = write(log, "+", 1)
      }
    }
    say("done")
  }

  /// Not in one step, so that two who do it at once would lose one.
  private static func increment(_ descriptor: FileDescriptor) throws {
    var bytes = [UInt8](repeating: 0, count: 32)
    let read = try bytes.withUnsafeMutableBytes {
      try descriptor.read(fromAbsoluteOffset: 0, into: $0)
    }
    let text = String(decoding: bytes[..<read], as: UTF8.self)
    let number = (Int(text) ?? 0) + 1
    _ = try descriptor.writeAll(toAbsoluteOffset: 0, Array(String(number).utf8))
  }
}

/// Measures accesses that nobody contends.
struct Measurement {
  private let coordinator: FileCoordinator
  private let file: FilePath
  private let count: Int

  init(_ domain: CoordinationDomain, _ words: [String]) throws {
    guard words.count == 2, let count = Int(words[1]), count > 0 else {
      throw CoordinationPeer.Complaint.usage
    }
    coordinator = try FileCoordinator(domain)
    file = FilePath(words[0])
    self.count = count
  }

  func run() throws {
    var times: [UInt64] = []
    for _ in 0..<count {
      let start = Self.now
      try coordinator.write(file) { _ in }
      times.append(Self.now - start)
    }
    times.sort()
    say("\(times[times.count / 2]) \(times[times.count * 99 / 100])")
  }

  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
