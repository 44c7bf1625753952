import CanonicalJSON
import TestSupport
import Testing

@Suite struct SmallBytesTests {
  /// Few values, so that bytes often begin alike and often have zeros, and lengths on both sides of
  /// what stands in place.
  private static let samples: [[UInt8]] = {
    var generator = SeededGenerator.announced(for: "SmallBytesTests")
    let random = (0..<300).map { _ in
      (0..<generator.below(20)).map { _ in
        [0, 1, 2, 0x7F, 0x80, 0xFF][generator.below(6)] as UInt8
      }
    }
    let edges = [0, 1, 7, 8, 9, 14, 15, 16, 17, 40].flatMap { count in
      [0, 1, 0xFF].map { [UInt8](repeating: $0, count: count) }
    }
    return random + edges
  }()

  @Test func theyAreTheBytesTheyWereMadeOf() {
    for sample in Self.samples {
      let bytes = SmallBytes(sample)
      #expect(bytes.array == sample)
      #expect(Array(bytes) == sample)
      #expect(bytes.count == sample.count)
      #expect(bytes.isEmpty == sample.isEmpty)
      #expect(bytes.withUnsafeBytes { Array($0) } == sample)
      #expect(bytes.isInPlace == (sample.count <= 15))
    }
  }

  @Test func partsAreTheSameWhereverTheyStand() {
    for sample in Self.samples {
      // Behind it there is nothing, or what must not be taken for its own.
      for behind in [[], [0xEE], Array(repeating: 0xEE, count: 20)] as [[UInt8]] {
        let all = [0xDD, 0xDD] + sample + behind
        #expect(SmallBytes(copying: all, 2..<2 + sample.count) == SmallBytes(sample))
      }
    }
  }

  @Test func theyCompareAsArraysDo() {
    for one in Self.samples {
      for other in Self.samples {
        let (left, right) = (SmallBytes(one), SmallBytes(other))
        #expect((left == right) == (one == other))
        #expect((left < right) == one.lexicographicallyPrecedes(other))
        #expect(left.hasPrefix(right) == one.starts(with: other))
        #expect(one != other || left.hashValue == right.hashValue)
      }
    }
  }

  @Test func theFirstBytesAndTheNextZeroAreFound() {
    for sample in Self.samples {
      let bytes = SmallBytes(sample)
      for place in 0...sample.count {
        #expect(bytes.prefix(place).array == Array(sample[..<place]))
        #expect(
          bytes.nextZero(from: place) == sample[place...].firstIndex(of: 0) ?? sample.count)
      }
    }
  }
}
