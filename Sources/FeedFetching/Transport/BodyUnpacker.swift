import CZlib

/// Unpacks a body part by part, as it comes.
///
///     let unpacker = BodyUnpacker(.gzip, limit: 64 << 20)
///     try unpacker.add(part)
///     let body = try unpacker.finished()
///
/// What gzip packed may be of several members, one behind the other: RFC 1952, 2.2. What HTTP calls
/// deflate is in zlib's form by RFC 9110, 8.4.1.2, and without it from servers that took the name
/// at its word. What follows the end is left out, as browsers do.
final class BodyUnpacker {
  enum Packing: String {
    case gzip
    case deflate

    /// By its name in HTTP; nil for what is no packing.
    ///
    /// `x-gzip` is the older name of `gzip`: RFC 9110, 8.4.1.3.
    init?(name: String) {
      self.init(rawValue: name == "x-gzip" ? "gzip" : name)
    }
  }

  private enum Phase {
    /// Too little has come to tell which form it is in.
    case beginning
    case inside
    /// A member has ended; another may follow.
    case between
    case after
  }

  private static let chunkBytes = 64 << 10

  private let packing: Packing
  private let limit: Int
  /// zlib knows its stream by where it is, so it may not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private var phase = Phase.beginning
  private var head: [UInt8] = []
  private var isFirstMember = true
  private var isReady = false
  private var body: [UInt8] = []
  private var chunk = [UInt8](repeating: 0, count: BodyUnpacker.chunkBytes)

  /// - parameter limit: How many bytes it may come to.
  init(_ packing: Packing, limit: Int) {
    (self.packing, self.limit) = (packing, limit)
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
  }

  deinit {
    if isReady { inflateEnd(stream) }
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  func add(_ part: UnsafeRawBufferPointer) throws(FetchError.Cause) {
    guard phase == .beginning else { return try unpack(part) }
    head += part
    guard head.count >= 2 else { return }
    try begin(windowBits: windowBits)
    let start = head
    head = []
    try start.withUnsafeBufferPointer { bytes throws(FetchError.Cause) in
      try unpack(UnsafeRawBufferPointer(bytes))
    }
  }

  /// The body; what was added has to be all of it.
  func finished() throws(FetchError.Cause) -> [UInt8] {
    switch phase {
    case .beginning where head.isEmpty, .between, .after: return body
    case .inside where !isFirstMember && stream.pointee.total_out == 0: return body
    case .beginning, .inside: throw .damagedEncoding("it ends too early")
    }
  }

  /// How zlib is told the form.
  ///
  /// <https://zlib.net/manual.html#Advanced>
  private var windowBits: Int32 {
    switch packing {
    case .gzip: return MAX_WBITS + 16
    case .deflate:
      let isZlib = head[0] & 0x0F == 8 && (Int(head[0]) << 8 + Int(head[1])) % 31 == 0
      return isZlib ? MAX_WBITS : -MAX_WBITS
    }
  }

  private func begin(windowBits: Int32) throws(FetchError.Cause) {
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(stream, windowBits, ZLIB_VERSION, size) == Z_OK else {
      throw .other("zlib has no memory")
    }
    (isReady, phase) = (true, .inside)
  }

  private func unpack(_ part: UnsafeRawBufferPointer) throws(FetchError.Cause) {
    guard let start = part.bindMemory(to: UInt8.self).baseAddress else { return }
    // zlib declares its input mutable, and only reads it.
    stream.pointee.next_in = UnsafeMutablePointer(mutating: start)
    stream.pointee.avail_in = UInt32(part.count)
    var isFull = false
    while phase != .after, stream.pointee.avail_in > 0 || isFull {
      if phase == .between {
        inflateReset(stream)
        (phase, isFirstMember) = (.inside, false)
      }
      let (status, count) = inflateChunk()
      guard body.count + count <= limit else { throw .tooLarge(limit: limit) }
      body += chunk[..<count]
      isFull = count == chunk.count
      switch status {
      case Z_OK, Z_BUF_ERROR: break
      case Z_STREAM_END:
        phase = packing == .gzip ? .between : .after
        isFull = false
      default:
        let isOther = !isFirstMember && stream.pointee.total_out == 0
        guard isOther else { throw .damagedEncoding("it cannot be unpacked") }
        phase = .after
      }
    }
  }

  private func inflateChunk() -> (status: Int32, count: Int) {
    chunk.withUnsafeMutableBufferPointer { target in
      stream.pointee.next_out = target.baseAddress
      stream.pointee.avail_out = UInt32(target.count)
      let status = inflate(stream, Z_NO_FLUSH)
      return (status, target.count - Int(stream.pointee.avail_out))
    }
  }
}
