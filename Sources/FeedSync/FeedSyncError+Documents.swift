import DocumentFiles
import SystemPackage

extension FeedSyncError {
  /// Words what could not be done with a document or a version.
  init(document error: DocumentFileError, operation: String) {
    let path = error.path
    let file = path.isEmpty ? nil : path
    switch error {
    case .notFound:
      self.init(
        .notFound, operation: operation, file: file,
        message: "there is no such document, nor a version of it",
        hint: "'feedsync file list' lists them")
    case .notAFile(_, let kind):
      self.init(
        .badInput, operation: operation, file: file,
        message: "it is no regular file but: \(kind)",
        hint: "links and FIFOs are not followed; look who has put it there")
    case .notADocument:
      self.init(
        .badInput, operation: operation, file: file,
        message: "the name is that of no document: it is the folder itself, or never synced",
        hint: "name a file in the folder Documents of the container")
    case .changedMeanwhile:
      self.init(
        .tryAgain, operation: operation, file: file,
        message: "somebody else has written it meanwhile; nothing was overwritten",
        hint: "look at it with 'feedsync file versions', then try again")
    case .isCurrent:
      self.init(
        .usage, operation: operation, file: file,
        message: "this is the current version, which is never removed",
        hint: "delete the file itself if you want it gone")
    case .noSuchVersion(_, let version):
      self.init(
        .notFound, operation: operation, file: file,
        message: "there is no version '\(version)', or it has changed since it was listed",
        hint: "'feedsync file versions' lists those that there are")
    default: self.init(openDocument: error, operation: operation, file: file)
    }
  }

  private init(openDocument error: DocumentFileError, operation: String, file: String?) {
    switch error {
    case .closed:
      self.init(.usage, operation: operation, file: file, message: "the document is closed")
    case .editingDisabled:
      self.init(
        .tryAgain, operation: operation, file: file,
        message: "the document is being read again: an edit would be lost",
        hint: "edit it when its state has no editingDisabled")
    case .tooLarge(_, let limit):
      self.init(
        .badInput, operation: operation, file: file,
        message: "it is larger than \(limit >> 20) MiB, the most that is taken into memory")
    case .unreadable(_, let reason):
      self.init(.badInput, operation: operation, file: file, message: reason)
    case .tooMany(_, let limit, let depth):
      self.init(
        .cannotRead, operation: operation, file: file,
        message: "the folder is not looked into: there would be more than \(limit) names in all, or"
          + " more than \(depth) folders in one another",
        hint: "move what need not be synced out of Documents")
    case .folderAway(_, let reason):
      self.init(
        .noContainer, operation: operation, file: file, message: reason,
        hint: "mount or start what brings the folder; it is looked for again and again")
    case .system(let verb, _, let number):
      let errno = Errno(rawValue: number)
      let isForbidden = errno == .permissionDenied || errno == .notPermitted
      // The folder would let it be replaced.
      let isProtected = isForbidden && verb == "access"
      let isWriting = !["status", "list", "open", "read", "canonicalPath"].contains(verb)
      self.init(
        isForbidden ? .notPermitted : isWriting ? .cannotWrite : .cannotRead,
        operation: operation, file: file,
        message: isProtected
          ? "this user may not write the file, so it is left as it is"
          : "\(verb): \(errno.description)",
        hint: Self.hint(
          for: errno, at: FilePath(file ?? ""),
          purpose: isProtected ? .writing : isWriting ? .naming : .reading))
    default:
      self.init(.software, operation: operation, file: file, message: "unexpected error: \(error)")
    }
  }
}
