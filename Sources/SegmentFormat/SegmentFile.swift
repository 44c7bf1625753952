import Replication

/// The frame of a segment file: header, body, checksum.
///
/// The documentation's page "Segment format" specifies every byte.
///
///     let bytes = SegmentFile.encode(segment)
///     let again = try SegmentFile.decode(bytes)
package enum SegmentFile {
  package static let magic: [UInt8] = [0x89, 0x46, 0x53, 0x4C]  // ‰FSL
  /// The newest format that is read here.
  package static let version: UInt64 = 3
  /// The format of what nothing has been dropped from, and of what something has, as the first
  /// readers of each know it: what is not compressed by a dictionary that came later.
  private static let wholeVersion: UInt64 = 1
  private static let reducedVersion: UInt64 = 2
  /// A file larger than this is damaged, and is not read: 64 MiB.
  package static let maximumFileBytes = 64 << 20
  /// A body larger than this is damaged, and is not unpacked: 64 MiB.
  package static let maximumBodyBytes = 64 << 20
  /// More operations than this are damage: two bytes can be one, and in memory it takes hundreds.
  package static let maximumOperations = 1 << 20
  /// More transactions than this are damage: four bytes, which compress to less, can be one.
  package static let maximumTransactions = 1 << 20
  /// More collections, paths or documents than this are damage: nobody lists what no operation
  /// names, and an empty path is one byte.
  package static let maximumTableEntries = maximumOperations
  /// A longer path is damage: in a body each of its bytes takes one or more; the rest is leeway.
  package static let maximumPathBytes = Limits.bodyBytes + Limits.depth
  /// A transaction is damage whose operations come to more, each counted as its payload, its path
  /// and ``operationBytes``: a path stands once in a file, and is written out for each of them
  /// where that is read.
  ///
  /// Whoever writes takes at most 48 MiB of just that, and took 80 once: 48 with 16 bytes for each
  /// operation.
  package static let maximumTransactionBytes = 128 << 20
  package static let operationBytes = 48
  /// More attributes than this are damage: there are four kinds, each of which counts once.
  package static let maximumAttributes = 4096
  /// A context that names more is damage: it is compared with others one by one.
  package static let maximumContextEntries = 1 << 14
  /// No transaction is written whose context has more entries: older readers set it aside.
  package static let writtenContextEntries = 4096
  /// Contexts that have more entries together, once they are complete, are damage: each takes 40
  /// bytes, and a transaction of four bytes may stand for one of thousands.
  ///
  /// It is far from what anybody writes. What is published holds at most 2 MiB in which each
  /// context is whole, which are 60,000 entries. What is joined of that was not divided by its
  /// contexts at first: 20,000 small edits, in a container of 1,000 streams, are 2 MiB and 20
  /// million entries, which is what readers must go on to take. Now it is: see
  /// ``writtenContextTotal``.
  package static let maximumContextTotal = 1 << 26
  /// No segment is joined whose contexts have more entries together: far less than what readers
  /// take, who may count what is left out besides.
  package static let writtenContextTotal = 1 << 22
  static let checksumBytes = 8

  /// What stands in the header's flags of a body that is not compressed; else its dictionary.
  private static let isNotCompressed: UInt64 = 0

  /// The bytes of a file, and the digest that belongs in its name.
  package typealias Encoded = (bytes: [UInt8], digest: UInt64)

  /// The bytes of a file that holds `segment`, and the digest that belongs in its name.
  ///
  /// - parameter compressing: false for what stays on this machine, where speed counts more.
  package static func encode(
    _ segment: Segment, compressing: Bool = true
  ) -> Encoded {
    let body = SegmentBody.encode(segment)
    let packed = compressing ? Deflate.compress(body) : body
    let stored = packed.count < body.count ? packed : body
    var output = magic
    output.reserveCapacity(stored.count + 96)
    let isCompressed = stored.count < body.count
    let version =
      isCompressed ? Self.version : segment.isReduced ? reducedVersion : wholeVersion
    output.appendVarint(version)
    output.appendVarint(version)  // The oldest reader that can apply it.
    output.append(segment.range.container)
    output.append(segment.range.stream)
    output.appendVarint(segment.range.first)
    output.appendVarint(segment.range.last - segment.range.first)
    output.append(segment.range.fingerprintBefore)
    output.appendVarint(UInt64(segment.transactions.reduce(0) { $0 + $1.operations.count }))
    output.appendVarint(isCompressed ? DeflateDictionary.newest.rawValue : isNotCompressed)
    output.appendVarint(UInt64(body.count))
    output.appendVarint(UInt64(stored.count))
    output.append(contentsOf: stored)
    output.append(bigEndian: Digest.first64(output))
    return (output, digest(of: segment.range, body: body))
  }

  /// Reads a file whole, and checks all of it.
  package static func decode(
    _ bytes: [UInt8]
  ) throws(SegmentError) -> (segment: Segment, digest: UInt64) {
    let header = try verified(bytes)
    let body = try self.body(of: bytes, header: header)
    let segment = try SegmentBody.decode(
      body, range: header.range, operationCount: header.operationCount,
      mayBeReduced: header.minimumReader > wholeVersion)
    return (segment, digest(of: header.range, body: body))
  }

  /// What a file says of itself, believed where its checksum is right, without unpacking it.
  package static func outline(
    of bytes: [UInt8]
  ) throws(SegmentError) -> (range: Segment.Range, extent: Extent) {
    let header = try verified(bytes)
    return (header.range, Extent(header))
  }

  /// The header of a file that is there to its end, as it was written.
  private static func verified(_ bytes: [UInt8]) throws(SegmentError) -> Header {
    let header = try Header(bytes)
    guard header.bodyStart + header.storedBytes + checksumBytes == bytes.count else {
      throw bytes.count < header.bodyStart + header.storedBytes + checksumBytes
        ? .incomplete : .damaged("bytes follow the checksum")
    }
    try verifyChecksum(bytes)
    return header
  }

  /// How much a file unpacks to.
  package struct Extent: Sendable {
    package var operations: Int
    package var bodyBytes: Int

    package init(operations: Int, bodyBytes: Int) {
      self.operations = operations
      self.bodyBytes = bodyBytes
    }

    fileprivate init(_ header: Header) {
      self.init(operations: header.operationCount, bodyBytes: header.bodyBytes)
    }
  }

  /// Reads as much of the header as says how much the file unpacks to, and believes the rest.
  package static func extent(of bytes: [UInt8]) throws(SegmentError) -> Extent {
    Extent(try Header(bytes))
  }

  /// Reads as much of the header as says whose transactions these are, and believes the rest.
  package static func range(of bytes: [UInt8]) throws(SegmentError) -> Segment.Range {
    try Header(bytes).range
  }

  private static func body(
    of bytes: [UInt8], header: Header
  ) throws(SegmentError) -> [UInt8] {
    let stored = bytes[header.bodyStart..<header.bodyStart + header.storedBytes]
    guard let dictionary = header.dictionary else {
      guard header.bodyBytes == stored.count else { throw .damaged("the body's size is wrong") }
      return Array(stored)
    }
    let count = header.bodyBytes
    guard let body = Deflate.decompress(stored, count: count, with: dictionary) else {
      throw .damaged("the body cannot be unpacked")
    }
    return body
  }

  private static func verifyChecksum(_ bytes: [UInt8]) throws(SegmentError) {
    let end = bytes.count - checksumBytes
    let expected = bytes[end...].reduce(0) { $0 << 8 | UInt64($1) }
    guard Digest.first64(bytes[..<end]) == expected else {
      throw .damaged("the checksum is wrong")
    }
  }

  /// The digest in a segment's name: of its canonical, uncompressed content.
  private static func digest(of range: Segment.Range, body: [UInt8]) -> UInt64 {
    var head: [UInt8] = []
    head.append(range.container)
    head.append(range.stream)
    head.append(bigEndian: range.first)
    head.append(bigEndian: range.last)
    head.append(range.fingerprintBefore)
    return Digest.first64(head, body)
  }

  /// What stands before the body.
  fileprivate struct Header {
    let minimumReader: UInt64
    let range: Segment.Range
    let operationCount: Int
    /// What the body is compressed with; nil if it is not.
    let dictionary: DeflateDictionary?
    let bodyBytes: Int
    let storedBytes: Int
    let bodyStart: Int

    init(_ bytes: [UInt8]) throws(SegmentError) {
      guard bytes.starts(with: magic) || magic.starts(with: bytes) else {
        throw .damaged("it does not begin as a segment does")
      }
      guard bytes.count > magic.count else { throw .incomplete }
      var reader = ByteReader(bytes, from: magic.count)
      let formatVersion = try reader.varint()
      minimumReader = try reader.varint()
      guard minimumReader <= version else {
        // The checksum at the end is frozen for all versions, so that damage is told from novelty.
        guard bytes.count > checksumBytes + magic.count else { throw .incomplete }
        try verifyChecksum(bytes)
        throw .newer(minimumReader: minimumReader)
      }
      guard formatVersion >= minimumReader, minimumReader > 0 else {
        throw .damaged("the version is wrong")
      }
      range = try Self.range(from: &reader)
      let count = try reader.varint()
      let flags = try reader.varint()
      dictionary = DeflateDictionary(rawValue: flags)
      let body = try reader.varint()
      let stored = try reader.varint()
      guard body <= UInt64(maximumBodyBytes), stored <= UInt64(maximumFileBytes),
        count <= min(body, UInt64(maximumOperations)),
        dictionary != nil || flags == isNotCompressed,
        dictionary != .second || minimumReader > reducedVersion
      else { throw .damaged("a size in the header is not possible") }
      operationCount = Int(count)
      bodyBytes = Int(body)
      storedBytes = Int(stored)
      bodyStart = reader.position
    }

    private static func range(
      from reader: inout ByteReader
    ) throws(SegmentError) -> Segment.Range {
      let container: ContainerID = try reader.identifier()
      let stream: StreamID = try reader.identifier()
      let first = try reader.varint()
      let (last, overflow) = first.addingReportingOverflow(try reader.varint())
      guard first > 0, !overflow, last < UInt64(Int64.max) else {
        throw .damaged("the sequence numbers are not possible")
      }
      return Segment.Range(
        container: container, stream: stream, first: first, last: last,
        fingerprintBefore: try reader.identifier())
    }
  }
}
