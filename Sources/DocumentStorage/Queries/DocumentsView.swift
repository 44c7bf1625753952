/// The SQL that the view, and the indexes that serve it, are made of.
///
/// SQLite uses an index of an expression where a statement has that expression, once the view's
/// columns are replaced by what they stand for. Replacing adds a collation to what has none; it is
/// written out here, so that both sides are the same by construction.
enum DocumentsView {
  /// In plans, what stands for the documents, and for their collections.
  static let documentsName = "stored_documents"
  static let collectionsName = "stored_collections"

  private static func body(of state: String) -> String {
    "\(BodyFunction.name)(\(state)) COLLATE BINARY"
  }

  /// Collections first, always: there are few, and every index begins with their number.
  static let select = """
    SELECT \(collectionsName).name AS collection, \(documentsName).id AS id,
      \(body(of: "\(documentsName).state")) AS body
    FROM main.collections AS \(collectionsName) CROSS JOIN main.documents AS \(documentsName)
    WHERE \(documentsName).visible AND \(documentsName).collection = \(collectionsName).id
    """

  /// The statement that makes an index of what `expression` makes of a body.
  ///
  /// The outer collation keeps SQLite from reading results out of the index: version 3.40 forgets
  /// there that an array is JSON, and an index must never change what a statement answers.
  static func createIndex(_ name: String, of expression: (String) -> String) -> String {
    let value = expression("(\(body(of: "state")))")
    return """
      CREATE INDEX IF NOT EXISTS main.\(name)
        ON documents(collection, (\(value)) COLLATE BINARY) WHERE visible
      """
  }
}
