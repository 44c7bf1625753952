import SystemPackage

/// What a document is like, as flags with the numbers of `UIDocument.State`.
///
/// When a conflict comes, editing is disabled first, then the conflict shows, then editing is
/// possible again; so act on a conflict only while ``editingDisabled`` is clear.
public struct DocumentState: OptionSet, Hashable, Sendable {
  /// The flags.
  public let rawValue: UInt8
  /// A state of these flags.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// It is open, and nothing is wrong.
  public static let normal: DocumentState = []
  /// It is not open.
  public static let closed = DocumentState(rawValue: 1)
  /// There are versions of a conflict that are not resolved.
  public static let inConflict = DocumentState(rawValue: 2)
  /// Edits could not be saved; saving is tried again.
  public static let savingError = DocumentState(rawValue: 4)
  /// Contents are being exchanged for others; an edit would be refused.
  public static let editingDisabled = DocumentState(rawValue: 8)
  /// Never set: a syncer moves whole files into place, so no document opens while it arrives.
  public static let progressAvailable = DocumentState(rawValue: 16)
}

extension DocumentState: CustomStringConvertible {
  /// The names of the flags.
  public var description: String {
    let names: [(DocumentState, String)] = [
      (.closed, "closed"), (.inConflict, "inConflict"), (.savingError, "savingError"),
      (.editingDisabled, "editingDisabled"), (.progressAvailable, "progressAvailable"),
    ]
    let set = names.filter { contains($0.0) }.map(\.1)
    return set.isEmpty ? "normal" : set.joined(separator: "|")
  }
}

/// Why a document is closed.
public enum DocumentClosing: Hashable, Sendable {
  /// Its program has closed it.
  case asked
  /// The file was deleted, or something else takes its place. Edits that were not saved are kept
  /// as a version on this machine, by this identifier.
  case deleted(keptAs: String?)
  /// What stands there now cannot be read as such a document, and everything was saved.
  case unreadable
}

/// What happens to an open document.
public enum DocumentEvent: Hashable, Sendable {
  /// It has another state.
  case state(DocumentState)
  /// It has other contents, that somebody else has written.
  case contents
  /// It has another path.
  case moved(FilePath)
  /// It is closed; the last event.
  case closed(DocumentClosing)
}
