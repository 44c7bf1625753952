import CanonicalJSON
import DocumentStorage
import Testing

@Suite("A transaction that is full") struct FullTransactionTests {
  @Test("takes what there is room for, after it has refused more than that")
  func goesOn() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let half = String(repeating: "x", count: StoreWriter.maximumBytes / 8 * 5)
    let large = JSON.object(["text": .string(ByteString(half))])
    let result = try ann.write { writer in
      let first = try writer.put(large, at: Peer.key("a"))
      #expect(first == .changed)
      do {
        _ = try writer.put(large, at: Peer.key("b"))
        Issue.record("it takes what no segment could carry")
      } catch StorageError.transactionTooLarge {}
      let last = try writer.put(.object(["n": .integer(1)]), at: Peer.key("c"))
      #expect(last == .changed)
    }
    #expect(result.changed == 2)
    #expect(try ann.body("b") == nil)
    #expect(try ann.body("c") == #"{"n":1}"#)
  }
}
