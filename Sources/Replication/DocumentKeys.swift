import CanonicalJSON

/// Keys of documents, by number: each collection once, and all ids behind one another.
///
/// A key takes twelve bytes here and its id, and whoever looks at one counts references to nothing:
/// an import looks at each many times.
///
///     var keys = DocumentKeys()
///     keys.append(DocumentKey(collection: "notes", id: "groceries"))
///     keys[0].id  // groceries
package struct DocumentKeys: Sendable {
  /// Where the parts of a key stand.
  package struct Place: Sendable {
    /// Which of the collections it is in.
    package let collection: UInt32
    private let start: UInt32
    private let count: UInt32

    init(collection: UInt32, id: Range<Int>) {
      self.collection = collection
      (start, count) = (UInt32(id.lowerBound), UInt32(id.count))
    }

    /// Where in the ids its own stands.
    package var id: Range<Int> { Int(start)..<Int(start) + Int(count) }
  }

  package private(set) var collections: [ByteString]
  package private(set) var ids: [UInt8] = []
  package private(set) var places: [Place] = []
  /// The numbers of the collections that ``number(of:)`` was asked for.
  private var numbers: [ByteString: UInt32] = [:]
  private var last: (name: ByteString, number: UInt32)?

  /// - parameter collections: Keys of these are appended by the numbers that they have here.
  package init(collections: [ByteString] = []) { self.collections = collections }

  package init(_ keys: some Sequence<DocumentKey>) {
    self.init()
    for key in keys { append(key) }
  }

  package var count: Int { places.count }

  package subscript(number: Int) -> DocumentKey {
    DocumentKey(
      collection: collections[Int(places[number].collection)],
      id: ByteString(unchecked: Array(id(at: number))))
  }

  package func id(at number: Int) -> ArraySlice<UInt8> { ids[places[number].id] }

  package mutating func append(_ key: DocumentKey) {
    let collection = number(of: key.collection)
    append(collection: collection) { $0.append(contentsOf: key.id.bytes) }
  }

  /// Appends one of a collection by its number.
  ///
  /// - parameter appendID: Appends the id to all that stand before it.
  package mutating func append<Failure: Error>(
    collection: UInt32, id appendID: (inout [UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    let start = ids.count
    try appendID(&ids)
    places.append(Place(collection: collection, id: start..<ids.count))
  }

  /// The number of a collection, which is given one if it has none.
  package mutating func number(of collection: ByteString) -> UInt32 {
    // Those that follow one another are mostly of one collection.
    if let last, last.name == collection { return last.number }
    let number = numbers[collection, default: UInt32(collections.count)]
    if number == collections.count {
      collections.append(collection)
      numbers[collection] = number
    }
    last = (collection, number)
    return number
  }

  /// A hash value of a key, the same whatever else is here.
  package func hash(at number: Int) -> Int {
    var hasher = Hasher()
    hasher.combine(collections[Int(places[number].collection)])
    ids.hashAtOnce(places[number].id, into: &hasher)
    return hasher.finalize()
  }

  /// Whether two have the same id.
  package func hasSameID(_ number: Int, as other: Int, in others: Self) -> Bool {
    ids.isSame(places[number].id, as: others.ids, others.places[other].id)
  }
}
