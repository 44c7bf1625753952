import FeedSync
import TestSupport
import Testing

/// K11 on many histories: whatever three devices do and whenever they hear of one another, the last
/// write of a key counts on all of them.
@Suite struct KeyValueOrderTests {
  private static let keys = ["a", "b"]

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func k11_theLastWriteCountsInWhateverOrderDevicesLearnOfIt(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let place = try Place()
    let devices = try ["ann", "ben", "carl"].map { try KeyValueStore(try place.store($0)) }
    var expected: [String: PropertyListValue] = [:]
    for step in 0..<24 {
      let device = devices[Int.random(in: 0..<devices.count, using: &random)]
      let key = Self.keys[Int.random(in: 0..<Self.keys.count, using: &random)]
      // So that it is the last by the stamps, too.
      later()
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        let value: PropertyListValue = ["step": .integer(Int64(step)), "\(step)": true]
        try device.set(value, forKey: key)
        expected[key] = value
      // Who removes what is not there has written nothing, but where that settles a conflict.
      case 2: if try device.remove(forKey: key).changedCount > 0 { expected[key] = nil }
      default: try device.synchronize()
      }
    }
    for device in devices + devices { try device.synchronize() }
    for device in devices {
      for key in Self.keys { #expect(try device.value(forKey: key) == expected[key]) }
      #expect(try device.contents().usage.keys == expected.count)
    }
  }
}
