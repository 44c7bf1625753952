import CanonicalJSON

/// An element of a set: any JSON value, known by its canonical text (protocol.md 15).
///
/// The text is the last key of the path of its `add`, which therefore needs no payload; and adding
/// the same element on two devices meets at one path.
package struct SetElement: Hashable, Comparable, Sendable {
  /// The canonical text.
  package let key: ByteString

  package init(_ value: JSON) { key = ByteString(unchecked: value.canonicalBytes()) }

  /// Reads a key from outside; nil unless it is the canonical text of a value.
  package init?(key: ByteString) {
    guard let value = try? JSON(parsing: key.bytes), value.canonicalBytes() == key.bytes else {
      return nil
    }
    self.key = key
  }

  package var json: JSON { (try? JSON(parsing: key.bytes)) ?? .null }

  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.key < rhs.key }

  /// The distinct elements of `value` if it can stand as a set at `path`: an array whose elements
  /// are small enough for keys, and not at the root, nor too deep.
  static func all(in value: JSON, at path: Path) -> Set<SetElement>? {
    guard isPossible(at: path), let elements = all(in: value), elements.allSatisfy(\.isSmall)
    else { return nil }
    return elements
  }

  /// The distinct elements of an array; nil for any other value.
  static func all(in value: JSON) -> Set<SetElement>? {
    guard case .array(let values) = value else { return nil }
    return Set(values.map { SetElement($0) })
  }

  static func isPossible(at path: Path) -> Bool {
    !path.isRoot && path.keys.count < Limits.depth
  }

  /// Whether it is within the limit that binds local writes.
  package var isSmall: Bool { key.bytes.count <= Limits.elementBytes }
}

extension DocumentState {
  /// Where those who read the body see what an operation changes, judged before it is applied: of
  /// an element of a set, at the set.
  package func shownPath(of effect: Effect) -> Path { shownPath(of: effect.kind, at: effect.path) }

  /// The same of an operation of a kind at a path.
  package func shownPath(of kind: OperationKind, at path: Path) -> Path {
    let isOfSet = kind == .add || kind == .remove && hasElement(at: path)
    return isOfSet ? path.parent ?? path : path
  }

  private func hasElement(at path: Path) -> Bool {
    // Sorted by path; a document may have many members, and an import take many away.
    entries[firstIndex(at: path)...].prefix { $0.effect.path == path }
      .contains { $0.effect.kind == .add }
  }
}

extension DocumentState.Effect {
  /// The element that it puts into the set at `path`, if it does.
  func element(of path: Path) -> SetElement? {
    guard kind == .add, self.path.parent == path else { return nil }
    return self.path.lastKey.flatMap { SetElement(key: $0) }
  }
}
