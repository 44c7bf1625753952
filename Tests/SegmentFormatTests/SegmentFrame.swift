import Replication
import SegmentFormat

/// A segment file put together part by part, so that a test can make any part of it lie.
///
/// The checksum is always right: what is refused is refused for the lie.
struct SegmentFrame {
  var magic = SegmentFile.magic
  var version: UInt64 = 1
  var minimumReader: UInt64 = 1
  var container = Sample.container
  var stream = Sample.laptop
  var first: UInt64 = 1
  /// The last sequence less the first.
  var span: UInt64 = 0
  var fingerprintBefore = Fingerprint.origin
  var operationCount: UInt64 = 0
  var flags: UInt64 = 0
  var bodyCount: UInt64
  var storedCount: UInt64
  var stored: [UInt8]

  init(body: [UInt8]) {
    bodyCount = UInt64(body.count)
    storedCount = UInt64(body.count)
    stored = body
  }

  /// The frame of `segment`, not compressed.
  init(_ segment: Segment) {
    self.init(body: [])
    container = segment.range.container
    stream = segment.range.stream
    first = segment.range.first
    span = segment.range.last - segment.range.first
    fingerprintBefore = segment.range.fingerprintBefore
    operationCount = segment.transactions.reduce(0) { $0 + UInt64($1.operations.count) }
    let bytes = SegmentFile.encode(segment, compressing: false).bytes
    (version, minimumReader) = (UInt64(bytes[magic.count]), UInt64(bytes[magic.count + 1]))
    // The two sizes take more bytes than those of an empty body: count from the end.
    stored = []
    for start in header.count..<bytes.count - 8 {
      let candidate = Array(bytes[start..<bytes.count - 8])
      setBody(candidate)
      if header.count == start, header.elementsEqual(bytes[..<start]) { return }
    }
  }

  mutating func setBody(_ body: [UInt8]) {
    stored = body
    bodyCount = UInt64(body.count)
    storedCount = UInt64(body.count)
  }

  /// Compresses the body as it stands, and says so.
  mutating func compress(
    with dictionary: DeflateDictionary = .newest, format: UInt64 = SegmentFile.version
  ) {
    stored = Deflate.compress(stored, with: dictionary)
    storedCount = UInt64(stored.count)
    flags = dictionary.rawValue
    if dictionary == .second { (version, minimumReader) = (format, format) }
  }

  var header: [UInt8] {
    var output = magic
    output.appendVarint(version)
    output.appendVarint(minimumReader)
    output += container.bytes + stream.bytes
    output.appendVarint(first)
    output.appendVarint(span)
    output += fingerprintBefore.bytes
    for number in [operationCount, flags, bodyCount, storedCount] {
      output.appendVarint(number)
    }
    return output
  }

  var bytes: [UInt8] {
    var output = header + stored
    output.append(bigEndian: Digest.first64(output))
    return output
  }
}

/// The content of a segment put together by hand: tables, then transactions.
struct SegmentBodyWriter {
  private(set) var bytes: [UInt8] = []

  mutating func numbers(_ values: UInt64...) {
    for value in values { bytes.appendVarint(value) }
  }

  mutating func raw(_ more: [UInt8]) { bytes += more }

  /// No attributes, streams, collections, paths or documents.
  mutating func emptyTables() { numbers(0, 0, 0, 0, 0) }
}
