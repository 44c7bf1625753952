import Replication
import Testing

@Suite("Stamps") struct StampTests {
  private static func stamp(
    _ milliseconds: Int64, counter: UInt16 = 0, stream: UInt128 = 1, sequence: UInt64 = 1,
    index: UInt32 = 0, fingerprint: UInt128 = 1
  ) -> Stamp {
    Stamp(
      time: HybridTime(milliseconds: milliseconds, counter: counter),
      dot: Dot(stream: StreamID(rawValue: stream), sequence: sequence, index: index),
      fingerprint: Fingerprint(rawValue: fingerprint))
  }

  // Lesson 13: times of one second, compared with a strict `>`, never converged.
  @Test("of one time are in the same order everywhere, by who wrote, and then by what")
  func totalOrder() {
    let ordered = [
      Self.stamp(1, stream: 9, sequence: 9, index: 9, fingerprint: 9),
      Self.stamp(1, counter: 1, stream: 8, sequence: 8, index: 8, fingerprint: 8),
      Self.stamp(2, stream: 1, sequence: 7, index: 7, fingerprint: 7),
      Self.stamp(2, stream: 2, sequence: 1, index: 6, fingerprint: 6),
      Self.stamp(2, stream: 2, sequence: 2, index: 0, fingerprint: 5),
      Self.stamp(2, stream: 2, sequence: 2, index: 1, fingerprint: 3),
      Self.stamp(2, stream: 2, sequence: 2, index: 1, fingerprint: 4),
    ]
    for (first, one) in ordered.enumerated() {
      for (second, other) in ordered.enumerated() {
        #expect((one < other) == (first < second), "\(first) and \(second)")
        #expect((one == other) == (first == second), "\(first) and \(second)")
      }
    }
  }
}
