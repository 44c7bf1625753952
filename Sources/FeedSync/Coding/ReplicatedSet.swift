import CanonicalJSON

/// A set to which devices add, and from which they remove, at the same time, as a property of a
/// `Codable` type.
///
///     struct Plan: Codable { var title: String; var tags: ReplicatedSet<String> = [] }
///
///     try store.write { writer in
///       try writer.update(Plan.self, at: "picnic", in: "plans") { $0.tags.insert("garden") }
///     }
///
/// With `update` or `put` on a ``WriteTransaction``, what was inserted and removed becomes just
/// that: nobody's insertions are lost. Of an insertion and a removal of the same element at once
/// the insertion wins. In the document, and for other programs, it is an array of distinct elements
/// in the order of their canonical JSON.
///
/// An element must encode to what it was decoded from, and to at most 1,024 bytes.
public struct ReplicatedSet<Element: Codable & Hashable & Sendable>: Hashable, Sendable {
  /// The elements.
  public var elements: Set<Element>

  /// A set of these elements.
  public init(_ elements: some Sequence<Element>) { self.elements = Set(elements) }

  /// Puts an element in; returns whether it is new.
  @discardableResult
  public mutating func insert(_ element: Element) -> Bool { elements.insert(element).inserted }

  /// Takes an element out; returns whether it was there.
  @discardableResult
  public mutating func remove(_ element: Element) -> Bool { elements.remove(element) != nil }

  /// Whether it has an element.
  public func contains(_ element: Element) -> Bool { elements.contains(element) }
}

extension ReplicatedSet: Sequence, ExpressibleByArrayLiteral {
  /// Goes through the elements, in no particular order.
  public func makeIterator() -> Set<Element>.Iterator { elements.makeIterator() }
  /// A set of these elements.
  public init(arrayLiteral elements: Element...) { self.init(elements) }
  /// How many elements there are.
  public var count: Int { elements.count }
  /// Whether there is none.
  public var isEmpty: Bool { elements.isEmpty }
}

extension ReplicatedSet: Codable {
  /// Reads an array; what stands there more than once is one element.
  public init(from decoder: any Decoder) throws {
    self.init(try [Element](from: decoder))
  }

  /// Writes an array, in the order of the elements' canonical JSON.
  public func encode(to encoder: any Encoder) throws {
    let values = try elements.map { try DocumentEncoder().encode($0) }
    var container = encoder.unkeyedContainer()
    for value in Set(values).sorted(by: { $0.canonicalBytes().precedes($1.canonicalBytes()) }) {
      try container.encode(value)
    }
  }
}

extension [UInt8] {
  fileprivate func precedes(_ other: [UInt8]) -> Bool { lexicographicallyPrecedes(other) }
}
