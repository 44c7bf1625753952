import Replication

extension StoreWriter {
  /// What a transaction was before some edits of one document.
  ///
  ///     let before = writer.point(of: key)
  ///     do { … } catch { writer.goBack(to: before) }
  package struct Point {
    fileprivate let key: DocumentKey
    fileprivate let draft: Draft?
    fileprivate let operations: Int
    fileprivate let bytes: Int
    fileprivate let context: Context?
    fileprivate let header: Transaction.Header
  }

  /// What this transaction is by now, as far as edits of a document change it.
  package func point(of key: DocumentKey) -> Point {
    Point(
      key: key, draft: drafts[key], operations: operations.count, bytes: bytes, context: context,
      header: header)
  }

  /// Takes back the edits of the document since then; there must be no others.
  package mutating func goBack(to point: Point) {
    drafts[point.key] = point.draft
    operations.removeLast(operations.count - point.operations)
    (bytes, context, header) = (point.bytes, point.context, point.header)
  }
}
