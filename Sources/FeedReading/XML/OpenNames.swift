/// The names of the elements that are open, one after another in one array.
///
/// They are found by their hashes: with two hundred open ones, comparing bytes would make each end
/// tag that fits none cost more than a kilobyte of text.
struct OpenNames {
  private var bytes: [UInt8] = []
  private var starts: [Int] = []
  private var hashes: [UInt64] = []

  var depth: Int { starts.count }

  /// The name of the innermost element as it was written; empty if none is open.
  var top: ArraySlice<UInt8> { starts.last.map { bytes[$0...] } ?? [] }
  /// The hash of the name that the innermost element has in the document; 0 if none is open.
  var topHash: UInt64 { hashes.last ?? 0 }

  mutating func push(_ name: ArraySlice<UInt8>, hash: UInt64) {
    starts.append(bytes.count)
    bytes.append(contentsOf: name)
    hashes.append(hash)
  }

  mutating func pop() {
    guard let start = starts.popLast() else { return }
    hashes.removeLast()
    bytes.removeSubrange(start...)
  }

  /// The innermost element whose name has that hash.
  func lastIndex(of hash: UInt64) -> Int? {
    var index = hashes.count - 1
    while index >= 0 {
      if hashes[index] == hash { return index }
      index -= 1
    }
    return nil
  }

  /// FNV-1a over small letters: tags that differ in case are meant as one.
  static func hash(_ name: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name { hash = (hash ^ UInt64(byte.asciiLowercased)) &* 0x100_0000_01B3 }
    return hash
  }
}

/// The names that a document has used so far, of which only so many may differ.
///
/// libxml2 keeps every name until the end in a table that does not grow with them.
struct NameBudget {
  private static let slotCount = 8_192
  private var slots: [UInt64] = []
  private var count = 0

  /// Whether the name is known, or may become so.
  mutating func allows(_ hash: UInt64) -> Bool {
    if slots.isEmpty { slots = Array(repeating: 0, count: Self.slotCount) }
    var slot = Int(hash >> 40) & (Self.slotCount - 1)
    while slots[slot] != 0 {
      if slots[slot] == hash { return true }
      slot = (slot + 1) & (Self.slotCount - 1)
    }
    guard count < XMLLimits.names else { return false }
    count += 1
    slots[slot] = hash
    return true
  }
}
