import FileCoordination
import SystemPackage

extension FeedSyncError {
  /// Words what kept a coordinated access from taking place.
  init(coordination error: CoordinationError, operation: String) {
    switch error {
    case .timedOut(let path, let holders):
      self.init(
        .tryAgain, operation: operation, file: path,
        message: "the time was up" + Self.waiting(holders),
        hint: error.isInOwnWay
          ? "this very process holds it: what an accessor has another thread claim is not known"
            + " to be part of its access, and waits for it; claim it on the accessor's own thread"
          : "'feedsync coordinate status' shows who holds what; try again with more time")
    case .deadlock(let path, let loop):
      let names = loop.map { Self.name($0.process) }.joined(separator: ", ")
      self.init(
        .tryAgain, operation: operation, file: path,
        message: "this access and others would wait for one another for ever: \(names)",
        hint: "claim all files in one access, or end the outer one first;"
          + " a command that an access runs needs none of its own for the same file")
    case .presenterFailed(let path, let process, let message):
      self.init(
        .cannotWrite, operation: operation, file: path,
        message: "\(Self.name(process)), which has it open, could not save:"
          + " \(NameText.escaped(message))",
        hint: "save or close it there, then try again")
    case .cancelled(let path):
      self.init(
        .tryAgain, operation: operation, file: path, message: "the access was cancelled")
    case .overLimit(let path):
      self.init(
        .badInput, operation: operation, file: path,
        message: "too many files at once, too many claims or presenters, or too long a path",
        hint: "claim the folder that they are in")
    case .replaced(let path):
      self.init(
        .badInput, operation: operation, file: path,
        message: "a symbolic link was put in its place meanwhile; nothing was touched",
        hint: "look who writes there without coordination, then try again")
    case .leavesFolder(let path, let folder):
      self.init(
        .badInput, operation: operation, file: path,
        message: "it is not in \(NameText.escaped(folder))",
        hint: "name a file in the folder; links that lead out of it are not followed")
    case .contentsChanged(let path):
      self.init(
        .badInput, operation: operation, file: path,
        message: "its contents changed in an access that was for attributes alone",
        hint: "claim it for writing")
    case .emptyPurpose, .forked, .onPresentersQueue, .notWriting:
      self.init(misuse: error, operation: operation)
    case .unsafePlace, .noArbiter, .system:
      self.init(unreachable: error, operation: operation)
    }
  }

  /// Words what a program did wrong.
  private init(misuse error: CoordinationError, operation: String) {
    switch error {
    case .emptyPurpose:
      self.init(
        .usage, operation: operation, message: "the purpose has no name",
        hint: "name it, or leave it out: accesses of one purpose do not wait for each other")
    case .forked:
      self.init(
        .usage, operation: operation,
        message: "this process was forked off from one that coordinates, and cannot itself",
        hint: "fork before the first access, or start a program in the fork")
    case .onPresentersQueue(let path):
      self.init(
        .usage, operation: operation, file: path,
        message: "a blocking access was made on the queue of a presenter, which could not answer",
        hint: "use the asynchronous form, or another queue")
    case .notWriting(let path):
      self.init(
        .usage, operation: operation, file: path,
        message: "a move was announced outside of an access that writes the item")
    default: self.init(unreachable: error, operation: operation)
    }
  }

  private init(unreachable error: CoordinationError, operation: String) {
    let path = error.path
    switch error {
    case .unsafePlace(_, .ownedBy(let user)):
      self.init(
        .notPermitted, operation: operation, file: path,
        message: "it belongs to user \(user), who could pretend to coordinate",
        hint: "remove it, or choose another --state DIR")
    case .unsafePlace(_, .openToOthers(let mode)):
      self.init(
        .notPermitted, operation: operation, file: path,
        message: "others may reach into it (mode \(String(mode, radix: 8)))",
        hint: "chmod 700 '\(path)'")
    case .unsafePlace(_, .wrongKind):
      self.init(
        .notPermitted, operation: operation, file: path,
        message: "something else stands where locks and sockets are to be",
        hint: "remove it: feedsync makes it anew")
    case .unsafePlace(_, .notLocal):
      self.init(
        .configuration, operation: operation, file: path,
        message: "the local state is on a network file system, where locks and sockets do not"
          + " tell machines apart",
        hint: "set FEEDSYNC_STATE (or --state) to a folder on a local disk")
    case .noArbiter(_, let errno)
    where [.tooManyOpenFiles, .tooManyOpenFilesInSystem].contains(Errno(rawValue: errno)):
      self.init(
        .tryAgain, operation: operation, file: path,
        message: "the process that keeps the queue cannot be asked:"
          + " \(Errno(rawValue: errno).description)",
        hint: Self.hintAgainstOpenFiles)
    case .noArbiter(_, let errno):
      self.init(
        .tryAgain, operation: operation, file: path,
        message: "the process that keeps the queue does not answer:"
          + " \(Errno(rawValue: errno).description)",
        hint: "it may be suspended; its id is in arbiter.lock beside the socket")
    default:
      let errno = if case .system(_, _, let number) = error { number } else { Int32(0) }
      let number = Errno(rawValue: errno)
      let code: Code =
        switch number {
        case .permissionDenied, .notPermitted: .notPermitted
        case .readOnlyFileSystem, .noSpace, .diskQuotaExceeded: .cannotWrite
        default: .cannotRead
        }
      self.init(
        code, operation: operation, file: path, message: number.description,
        hint: Self.hint(for: number, at: FilePath(path), purpose: .reading))
    }
  }

  private static func waiting(_ holders: [CoordinationHolder]) -> String {
    holders.isEmpty ? "" : "; " + holders.map { text($0) }.joined(separator: "; ")
  }

  /// Who is in the way, and by what.
  package static func text(_ holder: CoordinationHolder) -> String {
    let (name, path) = (name(holder.process), NameText.escaped(holder.path))
    return switch holder.role {
    case .reads: "\(name) reads \(path)"
    case .writes: "\(name) writes \(path)"
    case .waits: "\(name) came first, and waits for \(path)"
    case .presents: "\(name) has \(path) open, and has not answered"
    case .mayHold: "\(name) may still use \(path)"
    case .keepsQueue: "\(name) keeps the queue, and does not answer"
    }
  }

  /// A process for people; what it calls itself commands no terminal.
  package static func name(_ process: CoordinatingProcess) -> String {
    "process \(process.id) (\(NameText.escaped(process.name)))"
  }
}
