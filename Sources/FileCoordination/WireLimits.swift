/// How messages are cut from a stream of bytes, and how large they may be.
package enum WireFormat {
  /// The first byte of a greeting; whoever speaks another version is refused by name.
  package static let version: UInt8 = 1
  /// More than any message of ours takes, and little enough to hold for each process.
  package static let maximumBytes = 1 << 21

  static let headerBytes = 4
  static let maximumText = 4096
  static let maximumName = 256
  static let maximumKeys = 10_000
  static let maximumQuestions = 4 * ClaimRequest.maximumItems

  /// A message with its length in front.
  package static func frame(_ message: [UInt8]) -> [UInt8] {
    let count = UInt32(message.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + message
  }
}

/// Cuts messages from bytes that arrive in pieces of any size.
package struct WireFrames: Sendable {
  private var bytes: [UInt8] = []
  private var start = 0

  package init() {}

  /// Takes bytes in.
  package mutating func append(_ piece: some Collection<UInt8>) {
    if start == bytes.count {
      bytes.removeAll(keepingCapacity: true)
      start = 0
    }
    bytes.append(contentsOf: piece)
  }

  /// The next whole message; nil as long as there is none.
  package mutating func next() throws(WireError) -> [UInt8]? {
    let available = bytes.count - start
    guard available >= WireFormat.headerBytes else { return nil }
    var count = 0
    for index in 0..<WireFormat.headerBytes { count |= Int(bytes[start + index]) << (8 * index) }
    guard count <= WireFormat.maximumBytes else { throw .limit("message") }
    guard available >= WireFormat.headerBytes + count else { return nil }
    let first = start + WireFormat.headerBytes
    start = first + count
    defer {
      if start > 1 << 16 {
        bytes.removeFirst(start)
        start = 0
      }
    }
    return Array(bytes[first..<first + count])
  }
}
