import CanonicalJSON
import DocumentStorage
import Replication
import TestSupport
import Testing

@Suite("Documents are put in the order of their keys") struct DocumentOrderTests {
  private func expectOrder(of keys: [DocumentKey], _ comment: Comment) {
    let order = DocumentOrder.indices(of: DocumentKeys(keys))
    #expect(order.sorted() == Array(keys.indices), comment)
    #expect(order.map { keys[$0] } == keys.sorted(), comment)
  }

  @Test("whatever they begin with, however long they are", arguments: 0..<40)
  func anyKeys(seed: Int) {
    var chance = SeededGenerator(seed: UInt64(seed))
    let beginnings = ["", "item-", "item-0000", "https://example.org/", "é", "\u{10FFFF}"]
    let collections = ["a", "aa", "notes"].prefix(1 + chance.below(3))
    var keys: Set<DocumentKey> = []
    for _ in 0..<chance.below(200) {
      let beginning = beginnings[chance.below(1 + seed % beginnings.count)]
      let end = (0..<chance.below(12)).map { _ in "\u{1}ab~\u{80}".randomElement(using: &chance) }
      let id = beginning + String(end.compactMap { $0 })
      keys.insert(
        DocumentKey(
          collection: ByteString(collections[chance.below(collections.count)]), id: ByteString(id)))
    }
    expectOrder(of: Array(keys), "seed \(seed)")
  }

  @Test("also where they are the same for long, again and again", arguments: 0..<40)
  func longBeginnings(seed: Int) {
    var chance = SeededGenerator(seed: UInt64(seed))
    let pieces = ["https://", "example", "/", "00000000", "00000001", "0000000", "\u{0}"]
    var keys: Set<DocumentKey> = []
    for _ in 0..<chance.below(300) {
      let id = (0..<chance.below(7)).map { _ in pieces[chance.below(pieces.count)] }.joined()
      keys.insert(DocumentKey(collection: "a", id: ByteString(id)))
    }
    expectOrder(of: Array(keys), "seed \(seed)")
  }

  @Test("also where one id is the beginning of all others, or ends in zeros")
  func beginnings() {
    let ids = ["item", "item\u{0}", "item\u{0}\u{0}", "item1", "item12345678", "item123456789", ""]
    expectOrder(of: ids.reversed().map { DocumentKey(collection: "a", id: ByteString($0)) }, "ids")
  }

  @Test("and none where there are none") func none() { expectOrder(of: [], "none") }
}
