/// How much of what others have dropped is taken out in one transaction of the database: whoever
/// wants to write waits for that.
package struct HeedingPace: Sendable {
  let documents: Int
  let operations: Int
  /// A document that would have to be written anew, and is larger than that, stays as it is.
  let revivalBytes: Int

  /// - precondition: all are greater than zero.
  package init(
    documents: Int, operations: Int, revivalBytes: Int = StoreWriter.maximumBytes
  ) {
    self.documents = documents
    self.operations = operations
    self.revivalBytes = revivalBytes
  }

  package static let standard = HeedingPace(documents: 128, operations: 2_048)

  /// Where what is done at once ends that begins with a document.
  func end(from start: Int, of documents: [HeedingPlan.Document]) -> Int {
    var (end, held) = (start, 0)
    while end < documents.count, end - start < self.documents, held < operations {
      held += documents[end].dropped.count
      end += 1
    }
    return end
  }
}
