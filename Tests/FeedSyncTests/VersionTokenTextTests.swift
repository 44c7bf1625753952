import FeedSync
import Replication
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
