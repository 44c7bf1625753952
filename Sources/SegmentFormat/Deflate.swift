import CZlib

/// Raw deflate (RFC 1951) with a preset dictionary, by the system's zlib.
package enum Deflate {
  /// Compresses `bytes`; the same bytes give the same result with the same zlib.
  package static func compress(
    _ bytes: [UInt8], with dictionary: DeflateDictionary = .newest
  ) -> [UInt8] {
    var stream = z_stream()
    let extent = Extent(of: bytes.count + dictionary.bytes.count)
    guard
      deflateInit2_(
        &stream, 6, Z_DEFLATED, -extent.windowBits, extent.memoryLevel, Z_DEFAULT_STRATEGY,
        ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return bytes }
    defer { deflateEnd(&stream) }
    deflateSetDictionary(&stream, dictionary.bytes, UInt32(dictionary.bytes.count))
    let bound = Int(deflateBound(&stream, UInt(bytes.count)))
    var input = bytes
    return input.withUnsafeMutableBufferPointer { source in
      [UInt8](unsafeUninitializedCapacity: bound) { target, count in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        _ = deflate(&stream, Z_FINISH)
        count = target.count - Int(stream.avail_out)
      }
    }
  }

  /// How much zlib takes and clears before it begins.
  ///
  /// For 300 bytes it takes 60 µs with the largest, and 13 with what they need.
  private struct Extent {
    let windowBits: Int32
    let memoryLevel: Int32

    /// The smallest from which all of so many bytes can be referred to, and that has them in one
    /// block.
    init(of count: Int) {
      (windowBits, memoryLevel) = count <= Self.smallBytes ? (13, 6) : (MAX_WBITS, 8)
    }

    private static let smallBytes = 4096
  }

  /// Unpacks exactly `count` bytes; nil if the content is not that, or is damaged.
  ///
  /// Memory grows with what comes out, never with what the header promised: deflate cannot pack
  /// more than 1,032 bytes into one, so a greater promise is refused at once.
  package static func decompress(
    _ packed: ArraySlice<UInt8>, count: Int, with dictionary: DeflateDictionary = .newest
  ) -> [UInt8]? {
    guard count <= packed.count * 1032 + 64 else { return nil }
    var stream = z_stream()
    guard
      inflateInit2_(
        &stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { inflateEnd(&stream) }
    inflateSetDictionary(&stream, dictionary.bytes, UInt32(dictionary.bytes.count))
    var produced = 0
    var status: Int32 = Z_OK
    // One byte more than promised, so that a longer content shows.
    let output = packed.withUnsafeBufferPointer { source in
      [UInt8](unsafeUninitializedCapacity: count + 1) { target, used in
        // zlib declares its input mutable, and only reads it.
        stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        status = inflate(&stream, Z_FINISH)
        produced = target.count - Int(stream.avail_out)
        used = produced
      }
    }
    guard status == Z_STREAM_END, produced >= count, output.count >= count,
      stream.avail_in == 0
    else { return nil }
    return output.count == count ? output : nil
  }
}
