/// A pattern for names, as a shell has it.
///
/// `*` stands for any characters, `?` for one, `[a-z]` for one of these, `[!a-z]` for one that is
/// none of them, `\` takes the next one as it is. None of them stands for `/`, but `**` does. Upper
/// and lower case differ.
package struct NamePattern: Hashable, Sendable {
  fileprivate enum Part: Hashable {
    case one(Unicode.Scalar)
    case anyOne
    case oneOf([ClosedRange<UInt32>], isNegated: Bool)
    case many(crossesFolders: Bool)
  }
  private let parts: [Part]
  /// Whether it is about a path, not a name alone.
  let hasFolders: Bool

  package init(_ text: String) {
    var rest = Array(text.unicodeScalars)[...]
    var parts: [Part] = []
    while let part = Self.next(&rest) { parts.append(part) }
    self.parts = parts
    hasFolders = parts.contains(.one("/")) || parts.contains(.many(crossesFolders: true))
  }

  private static func next(_ rest: inout ArraySlice<Unicode.Scalar>) -> Part? {
    guard let first = rest.popFirst() else { return nil }
    switch first {
    case "*":
      let isDouble = rest.first == "*"
      rest = rest.drop { $0 == "*" }
      return .many(crossesFolders: isDouble)
    case "?": return .anyOne
    case "[": return set(&rest) ?? .one(first)
    case "\\": return .one(rest.popFirst() ?? first)
    default: return .one(first)
    }
  }

  /// What stands in brackets; nil, and nothing taken, if they are not closed.
  private static func set(_ rest: inout ArraySlice<Unicode.Scalar>) -> Part? {
    var inner = rest
    let isNegated = inner.first == "!" || inner.first == "^"
    if isNegated { inner = inner.dropFirst() }
    var ranges: [ClosedRange<UInt32>] = []
    while let low = inner.popFirst() {
      if low == "]", !ranges.isEmpty {
        rest = inner
        return .oneOf(ranges, isNegated: isNegated)
      }
      var high = low
      if inner.first == "-", let end = inner.dropFirst().first, end != "]" {
        high = end
        inner = inner.dropFirst(2)
      }
      // A range from the later to the earlier holds nothing but its first.
      ranges.append(low.value...max(low.value, high.value))
    }
    return nil
  }

  /// Whether all of a text is as the pattern says; the time is that of both lengths multiplied.
  package func matches(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    // Which positions of the text the parts so far can end at.
    var ends = [Bool](repeating: false, count: scalars.count + 1)
    ends[0] = true
    for part in parts {
      if case .many = part {
        for (index, scalar) in scalars.enumerated() where ends[index] && part.takes(scalar) {
          ends[index + 1] = true
        }
      } else {
        for index in scalars.indices.reversed() {
          ends[index + 1] = ends[index] && part.takes(scalars[index])
        }
        ends[0] = false
      }
    }
    return ends[scalars.count]
  }
}

extension NamePattern.Part {
  fileprivate func takes(_ scalar: Unicode.Scalar) -> Bool {
    switch self {
    case .one(let wanted): scalar == wanted
    case .anyOne: scalar != "/"
    case .oneOf(let ranges, let isNegated):
      scalar != "/" && ranges.contains { $0.contains(scalar.value) } != isNegated
    case .many(let crossesFolders): crossesFolders || scalar != "/"
    }
  }
}
