// What is missing and given up may delete a document that is edited meanwhile (protocol.md 6, 13).
//
// The edits of who has given it up claim to have seen it, and no edit undoes a delete that its
// author had seen. A new insert is not deleted by what it claims to have seen: so the document is
// written whole, once, and stands whatever comes.
extension DocumentState {
  /// Whether a change of the document has to write all of it, lest it goes away with a delete that
  /// the author has seen, or claims to.
  func isWrittenWhole(_ view: DocumentView, under context: Context) -> Bool {
    view.hasUndoneDelete || mayBeDeleted(view, behindHolesOf: context)
  }

  /// Whether `context` names something missing that the author of the shown insert had not named.
  private func mayBeDeleted(_ view: DocumentView, behindHolesOf context: Context) -> Bool {
    guard let lineage, let insert = view.inserts.last, !lineage.holds(context) else {
      return false
    }
    let seen = entries.first { $0.stamp == insert }?.context ?? Context()
    return context.entries.contains { entry in
      !lineage.holds(entry)
        && !seen.entries(of: entry.stream).contains {
          !lineage.holds($0) && lineage.isAtOrBefore($0, entry)
        }
    }
  }
}
