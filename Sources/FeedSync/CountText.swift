/// Counts for sentences: "1 document", "2 documents".
package enum CountText {
  /// - parameter many: what more than one, or none, are called; nil for an s behind the word.
  package static func of(
    _ count: some BinaryInteger, _ one: String, _ many: String? = nil
  ) -> String {
    "\(count) \(of(count, either: one, or: many ?? one + "s"))"
  }

  /// The word alone.
  package static func of(
    _ count: some BinaryInteger, either one: String, or many: String
  ) -> String {
    count == 1 ? one : many
  }
}
