/// A small generator of random numbers that one seed determines on every machine (SplitMix64).
package struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// The generator of one step of a history, so that leaving out other steps does not change it.
  package init(seed: UInt64, step: Int) {
    var mixing = SplitMix(seed: seed &+ UInt64(step) &* 0xD134_2543_DE82_EF95)
    state = mixing.next()
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mixed(state)
  }

  package static func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number from 0 up to and without `bound`.
  package mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % bound }

  package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }

  package mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
    var result = elements
    for index in result.indices.dropFirst() { result.swapAt(index, below(index + 1)) }
    return result
  }
}
