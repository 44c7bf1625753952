/// Numbers for documents that operations of several tables are on, in the order in which they were
/// first named.
///
///     var documents = NumberedDocuments()
///     documents.number(of: 0, in: list.table)  // 0
package struct NumberedDocuments {
  /// The keys, by number.
  package private(set) var keys = DocumentKeys()
  private var hashes: [Int] = []
  /// Which number a document has, by its hash value.
  private var slots = [Slot](repeating: .empty, count: 1 << 6)
  /// Made of all that ``fetch(_:of:)`` looked at: else nothing would have to be looked at.
  private var fetched = 0

  /// A number beside a part of its hash value: mostly nothing else has to be fetched to see whether
  /// it is another's.
  private struct Slot {
    let number: UInt32
    let tag: UInt32

    init(_ number: Int, hash: Int) {
      self.number = UInt32(number)
      tag = Self.tag(of: hash)
    }

    private init() { (number, tag) = (.max, 0) }

    static let empty = Slot()
    var isEmpty: Bool { number == .max }
    /// The places of slots tell of the other half.
    static func tag(of hash: Int) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) }
  }

  package init() {}

  package var count: Int { hashes.count }

  /// The number of a table's document; that is new where it was ``count``.
  package mutating func number(of document: Int, in table: OperationTable) -> Int {
    let hash = table.documents[document].hash
    let collection = keys.number(
      of: table.keys.collections[Int(table.keys.places[document].collection)])
    let tag = Slot.tag(of: hash)
    var slot = hash & (slots.count - 1)
    while !slots[slot].isEmpty {
      let number = Int(slots[slot].number)
      if slots[slot].tag == tag, keys.places[number].collection == collection,
        keys.hasSameID(number, as: document, in: table.keys)
      {
        return number
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    slots[slot] = Slot(count, hash: hash)
    hashes.append(hash)
    keys.append(collection: collection) { $0.append(contentsOf: table.keys.id(at: document)) }
    if count * 2 > slots.count { makeRoom() }
    return count - 1
  }

  /// Looks at all that looking up some documents of a table will need.
  ///
  /// Each of them waits for the memory three times, one after another, where there are many
  /// documents. Here all wait together, and what they waited for is at hand then.
  package mutating func fetch(_ range: Range<Int>, of table: OperationTable) {
    guard range.count > 1, count > Self.farApart else { return }
    var seen = 0
    for document in range {
      let slot = slots[table.documents[document].hash & (slots.count - 1)]
      guard !slot.isEmpty else { continue }
      let start = keys.places[Int(slot.number)].id.lowerBound
      if start < keys.ids.count { seen &+= Int(keys.ids[start]) }
    }
    fetched &+= seen
  }

  /// Fewer are near enough to one another.
  private static let farApart = 1024

  private mutating func makeRoom() {
    slots = [Slot](repeating: .empty, count: slots.count * 2)
    for number in hashes.indices {
      var slot = hashes[number] & (slots.count - 1)
      while !slots[slot].isEmpty { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = Slot(number, hash: hashes[number])
    }
  }
}
