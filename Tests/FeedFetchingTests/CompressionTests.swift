import CZlib
import Testing

@testable import FeedFetching

@Suite struct CompressionTests {
  /// Bytes packed by zlib.
  ///
  /// - parameter windowBits: 15 for zlib's own form, which HTTP calls deflate; 31 for gzip.
  private func packed(_ bytes: [UInt8], windowBits: Int32 = 31) throws -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    try #require(
      deflateInit2_(&stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, zlibVersion(), size)
        == Z_OK)
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: bytes.count + 1_024)
    let status = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
        (stream.next_out, stream.avail_out) = (target.baseAddress, UInt32(target.count))
        return deflate(&stream, Z_FINISH)
      }
    }
    try #require(status == Z_STREAM_END)
    return Array(output.prefix(Int(stream.total_out)))
  }

  private let feed = Array(Replies.rss.utf8)

  @Test(arguments: [("gzip", 31), ("deflate", 15), ("GZIP", 31), ("x-gzip", 31)])
  func packedBodiesAreUnpacked(name: String, windowBits: Int32) async throws {
    let body = try packed(feed, windowBits: windowBits)
    let outcome = try await Fetching.outcome { _ in
      Replies.reply(200, ["Content-Encoding: \(name)"], body: body)
    }
    #expect(outcome.document?.body == feed, "\(outcome)")
  }

  /// RFC 1952, 2.2.
  @Test func aBodyOfSeveralMembersIsTheirBodiesInARow() async throws {
    let half = feed.count / 2
    let members = try packed(Array(feed[..<half])) + packed([]) + packed(Array(feed[half...]))
    for step in [Step.drip(members, 1), .send(members)] {
      let outcome = try await Fetching.outcome { _ in
        [
          Replies.head(200, ["Content-Encoding: gzip", "Content-Length: \(members.count)"]), step,
        ]
      }
      #expect(outcome.document?.body == feed, "\(outcome)")
    }
  }

  @Test func whatFollowsAPackedBodyIsLeftOut() async throws {
    let outcome = try await Fetching.outcome { [body = try packed(feed)] _ in
      Replies.reply(200, ["Content-Encoding: gzip"], body: body + [0, 0, 0x3C, 0x21])
    }
    #expect(outcome.document?.body == feed, "\(outcome)")
  }

  /// Some servers send it so, and browsers read it.
  @Test func deflateMayBeWithoutTheFormOfZlib() async throws {
    let outcome = try await Fetching.outcome { [body = try packed(feed, windowBits: -15)] _ in
      Replies.reply(200, ["Content-Encoding: deflate"], body: body)
    }
    #expect(outcome.document?.body == feed, "\(outcome)")
  }

  @Test func anEmptyBodyIsEmptyHoweverItIsSaidToBePacked() async throws {
    let outcome = try await Fetching.outcome { _ in
      Replies.reply(200, ["Content-Encoding: gzip"], body: [])
    }
    #expect(outcome.document?.body == [], "\(outcome)")
  }

  @Test func aPackedBodyMayComeInSmallPieces() async throws {
    let body = try packed(feed)
    let outcome = try await Fetching.outcome { _ in
      [
        Replies.head(200, ["Content-Encoding: gzip", "Content-Length: \(body.count)"]),
        .drip(body, 1),
      ]
    }
    #expect(outcome.document?.body == feed, "\(outcome)")
  }

  @Test func aSmallBodyThatUnpacksToALargeOneIsGivenUpAtTheLimit() async throws {
    var small = Fetching.configuration
    small.limits.bodyBytes = 1 << 20
    let bomb = try packed([UInt8](repeating: 0, count: 64 << 20))
    #expect(bomb.count < 70_000)
    let outcome = try await Fetching.outcome(small) { _ in
      Replies.reply(200, ["Content-Encoding: gzip"], body: bomb)
    }
    #expect(outcome.error?.cause == .tooLarge(limit: 1 << 20))
  }

  @Test func aDamagedBodyIsSaidToBeDamaged() async throws {
    var broken = try packed(feed)
    for index in 12..<40 { broken[index] ^= 0xFF }
    for body in [broken, feed] {
      let outcome = try await Fetching.outcome { [body] _ in
        Replies.reply(200, ["Content-Encoding: gzip"], body: body)
      }
      #expect(outcome.error?.cause == .damagedEncoding("it cannot be unpacked"), "\(outcome)")
    }
  }

  @Test func aPackedBodyThatEndsTooEarlyIsSaidTo() async throws {
    let body = Array(try packed(feed).dropLast(20))
    let whole = try await Fetching.outcome { _ in
      Replies.reply(200, ["Content-Encoding: gzip"], body: body)
    }
    #expect(whole.error?.cause == .damagedEncoding("it ends too early"), "\(whole)")
    let cut = try await Fetching.outcome { _ in
      [Replies.head(200, ["Content-Encoding: gzip", "Content-Length: 9999"]), .send(body), .close]
    }
    guard case .truncated(_, nil) = cut.error?.cause else {
      Issue.record("\(cut)")
      return
    }
  }

  @Test(arguments: ["br", "zstd", "x-compress", "gzip, gzip"])
  func whatWasNotOfferedIsNamed(name: String) async throws {
    let outcome = try await Fetching.outcome { _ in
      Replies.reply(200, ["Content-Encoding: \(name)"], text: "?")
    }
    #expect(outcome.error?.cause == .unknownEncoding(name))
  }

  @Test(arguments: ["identity", "utf-8", "none", ""])
  func aFieldThatNamesNoPackingDoesNoHarm(name: String) async throws {
    let outcome = try await Fetching.outcome { _ in
      Replies.reply(200, ["Content-Encoding: \(name)"], text: Replies.rss)
    }
    #expect(outcome.document?.body == feed)
  }
}
