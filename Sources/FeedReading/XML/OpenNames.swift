/// The names of the elements that are open, one after another in one array.
struct OpenNames {
  private var bytes: [UInt8] = []
  private var starts: [Int] = []

  var depth: Int { starts.count }

  /// The name of the innermost element; empty if none is open.
  var top: ArraySlice<UInt8> { name(at: depth - 1) }

  func name(at index: Int) -> ArraySlice<UInt8> {
    guard starts.indices.contains(index) else { return [] }
    let end = index + 1 < starts.count ? starts[index + 1] : bytes.count
    return bytes[starts[index]..<end]
  }

  mutating func push(_ name: ArraySlice<UInt8>) {
    starts.append(bytes.count)
    bytes.append(contentsOf: name)
  }

  mutating func pop() {
    guard let start = starts.popLast() else { return }
    bytes.removeSubrange(start...)
  }

  /// The innermost element of that name, and failing that, of that name in any case.
  func lastIndex(of name: ArraySlice<UInt8>) -> Int? {
    if depth > 0, top == name { return depth - 1 }
    return lastIndex { $0 == name }
      ?? lastIndex { other in
        other.count == name.count
          && zip(other, name).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
      }
  }

  private func lastIndex(where isWanted: (ArraySlice<UInt8>) -> Bool) -> Int? {
    var index = depth - 1
    while index >= 0 {
      if isWanted(self.name(at: index)) { return index }
      index -= 1
    }
    return nil
  }
}
