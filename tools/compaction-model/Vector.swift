/// What somebody has seen: for each stream (one per device) the number of its transactions.
struct Vector: Equatable {
  var bits: UInt16 = 0

  subscript(stream: Int) -> Int {
    get { Int(bits >> UInt16(4 * stream)) & 15 }
    set {
      let shift = UInt16(4 * stream)
      bits = (bits & ~(15 << shift)) | (UInt16(newValue) << shift)
    }
  }

  func contains(_ other: Vector) -> Bool {
    for stream in 0..<Bound.devices where self[stream] < other[stream] { return false }
    return true
  }

  func joined(_ other: Vector) -> Vector {
    var result = self
    for stream in 0..<Bound.devices { result[stream] = max(self[stream], other[stream]) }
    return result
  }

  var text: String {
    var parts: [String] = []
    for stream in 0..<Bound.devices where self[stream] > 0 {
      parts.append("\(Name.device(stream))\(self[stream])")
    }
    return parts.isEmpty ? "nothing" : parts.joined(separator: " ")
  }
}

/// The room that a state has: masks of operations have 32 bits, 8 transactions of 4 operations.
enum Bound {
  static let devices = 3
  static let transactions = 8
  static let slots = 4
  static let files = 20
  static let paths = 4
}

enum Name {
  static func device(_ index: Int) -> String { ["A", "B", "C"][index] }
  static func path(_ path: Int) -> String { ["/", "/a", "/a/b", "/c"][path] }
}
