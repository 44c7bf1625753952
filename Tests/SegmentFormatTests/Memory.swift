import Glibc
import Testing

/// How much memory this process has taken, in bytes, from `/proc/self/status`.
enum Memory {
  /// The most that was resident at any time.
  static func peak() throws -> Int { try value(of: "VmHWM:") }

  /// What is reserved now, touched or not.
  static func reserved() throws -> Int { try value(of: "VmSize:") }

  /// The most that was reserved at any time.
  static func peakReserved() throws -> Int { try value(of: "VmPeak:") }

  private static func value(of name: String) throws -> Int {
    let file = try #require(fopen("/proc/self/status", "r"))
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let words = String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        .split { $0 == " " || $0 == "\t" || $0 == "\n" }
      guard words.count >= 2, words[0] == name else { continue }
      return try #require(Int(words[1])) << 10
    }
    return try #require(nil as Int?)
  }
}
