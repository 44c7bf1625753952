import FeedSync
import Foundation
import Replication
import SegmentFormat
import Testing

@Suite("The text of a version") struct VersionTokenTextTests {
  private func entry(_ stream: UInt64, _ sequence: UInt64) -> Context.Entry {
    Context.Entry(
      stream: StreamID(rawValue: UInt128(stream)), sequence: sequence,
      fingerprint: Fingerprint(rawValue: UInt128(sequence)))
  }

  private func token(
    seen: [Context.Entry], applied: [Context.Entry], grounds: [Context.Entry: Context] = [:]
  ) -> Replication.VersionToken {
    Replication.VersionToken(
      context: Context([entry(1, 3)]), seen: Context(seen), applied: Context(applied),
      grounds: grounds, inserts: [Dot(stream: entry(1, 3).stream, sequence: 3, index: 1)],
      nodes: [7: 1, 9: 12])
  }

  @Test("means the same once it is read, whatever had not closed")
  func roundTrip() throws {
    let some = [entry(1, 3), entry(2, 9)]
    let all = some + [entry(4, 2)]
    let tokens = [
      token(seen: [entry(1, 3)], applied: [entry(1, 3)]),
      token(seen: some, applied: some),
      token(seen: all, applied: some),
      token(
        seen: all, applied: some,
        grounds: [entry(2, 9): Context(all), entry(2, 8): Context([entry(2, 8), entry(1, 3)])]),
    ]
    for token in tokens {
      #expect(VersionTokenText.decode(VersionTokenText.encode(token)) == token)
    }
  }

  @Test("is told from what is none where a newer version has made it")
  func newer() throws {
    let text = VersionTokenText.encode(token(seen: [entry(1, 3)], applied: [entry(1, 3)]))
    #expect(!VersionTokenText.isNewer(text) && !VersionTokenText.isNewer(text + "A"))
    let standard = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    var bytes = [UInt8](try #require(Data(base64Encoded: standard + padding))).dropLast(4)
    bytes[0] = 2
    let digest = Digest.first64(Array(bytes))
    bytes += (0..<4).map { UInt8(truncatingIfNeeded: digest >> UInt64(8 * $0)) }
    let newer = Data(bytes).base64EncodedString().replacing("+", with: "-")
      .replacing("/", with: "_").replacing("=", with: "")
    #expect(VersionTokenText.decode(newer) == nil && VersionTokenText.isNewer(newer))
    let place = try Place()
    let store = try place.store("ann")
    let error = #expect(throws: FeedSyncError.self) {
      try store.write {
        try $0.put(["n": 1], at: "a", in: "notes", basedOn: VersionToken(text: newer))
      }
    }
    #expect(error?.code == .badInput && error?.message.hasPrefix("a newer feedsync") == true)
    // Nothing was written; and the place, which goes with who holds it last, is still there.
    #expect(try place.store("ann").read { try $0.document("a", in: "notes") } == nil)
  }

  @Test("is refused where it was cut off or changed")
  func damage() {
    let text = VersionTokenText.encode(
      token(
        seen: [entry(1, 3), entry(2, 9)], applied: [entry(1, 3)],
        grounds: [entry(2, 9): Context([entry(2, 9)])]))
    for length in 0..<text.count {
      #expect(VersionTokenText.decode(String(text.prefix(length))) == nil)
      var changed = Array(text)
      changed[length] = changed[length] == "A" ? "B" : "A"
      #expect(VersionTokenText.decode(String(changed)) == nil)
    }
  }
}
