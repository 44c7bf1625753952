// What a document that is judged without knowledge of the streams would show.
extension DocumentState {
  /// Whether it keeps what an author had seen of a stream that has branches: there a sequence alone
  /// does not tell what was seen.
  package var dependsOnBranches: Bool {
    guard let lineage, lineage.streams.values.contains(where: \.isBranching) else { return false }
    func branches(_ context: Context) -> Bool {
      context.entries.contains { lineage.streams[$0.stream]?.isBranching == true }
    }
    return entries.contains { $0.context.map(branches) ?? false }
      || pending.contains { branches($0.seen) }
  }

  /// The same operations, judged as if every stream had one branch, and all of it were held.
  package var withoutLineage: DocumentState { DocumentState(sorted: entries, pending: pending) }
}
