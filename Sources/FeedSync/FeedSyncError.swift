import BlobStorage
import DocumentFiles
import DocumentStorage
import FileCoordination
import SegmentFormat
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage

/// What went wrong, on which file, and what to do about it.
///
///     do {
///       try store.write { … }
///     } catch let error as FeedSyncError {
///       print(error, error.hint ?? "")
///     }
///
/// The codes are those of the command's exit statuses, which follow `sysexits.h`.
public struct FeedSyncError: Error, Equatable, Sendable {
  /// The kind of failure; the number is the command's exit status.
  public enum Code: Int32, Sendable {
    /// The document asked for is not there.
    case notFound = 1
    /// The command was called wrongly.
    case usage = 64
    /// The input is malformed or over a limit, or files are set aside.
    case badInput = 65
    /// The container is missing, or it is another one.
    case noContainer = 66
    /// A defect in feedsync.
    case software = 70
    /// Something could not be written.
    case cannotWrite = 73
    /// Something could not be read.
    case cannotRead = 74
    /// Somebody else is busy with it, or the version is out of date: try again.
    case tryAgain = 75
    /// A permission is missing.
    case notPermitted = 77
    /// Nothing is set up, or it is set up differently.
    case configuration = 78
  }

  /// What kind of failure it is.
  public let code: Code
  /// What was being done, as a short verb phrase.
  public let operation: String
  /// The file or folder that it concerns, if one.
  public let file: String?
  /// What happened.
  public let message: String
  /// What the user can do about it, if anything is known to help.
  public let hint: String?

  /// An error of these parts.
  public init(
    _ code: Code, operation: String, file: String? = nil, message: String, hint: String? = nil
  ) {
    self.code = code
    self.operation = operation
    self.file = file
    self.message = message
    self.hint = hint
  }
}

extension FeedSyncError: CustomStringConvertible {
  /// What happened, to which file, on one line; the hint is apart.
  public var description: String {
    "\(operation): \(file.map { $0 + ": " } ?? "")\(message)"
  }
}

extension FeedSyncError {
  /// Whether an error comes from this package, not from a caller's closure.
  static func isOfThisPackage(_ error: any Error) -> Bool {
    switch error {
    case is ContainerError, is DeviceError, is StorageError, is FileError, is SegmentError,
      is HistoryError, is ConflictError, is QueryError:
      true
    default: false
    }
  }

  /// Words any error of this package for people; this is the one place where that is done.
  package init(_ error: any Error, operation: String) {
    switch error {
    case let error as FeedSyncError: self = error
    case let error as ContainerError: self.init(container: error, operation: operation)
    case let error as DeviceError: self.init(device: error, operation: operation)
    case let error as LeaveError: self.init(leaving: error, operation: operation)
    case let error as SalvageError: self.init(salvage: error, operation: operation)
    case let error as SettingError: self.init(setting: error, operation: operation)
    case let error as SettingsFileError: self.init(settingsFile: error, operation: operation)
    case let error as StorageError: self.init(storage: error, operation: operation)
    case let error as QueryError: self.init(query: error, operation: operation)
    case let error as HistoryError: self.init(history: error, operation: operation)
    case let error as ConflictError: self.init(conflict: error, operation: operation)
    case let error as CoordinationError: self.init(coordination: error, operation: operation)
    case let error as KeyValueViolation: self = error.described
    case let error as DocumentFileError: self.init(document: error, operation: operation)
    case let error as MemberPath.Problem: self.init(member: error, operation: operation)
    case let error as BlobError: self.init(blob: error, operation: operation)
    case let error as FileError: self.init(file: error)
    case let error as SegmentError: self.init(segment: error, operation: operation)
    default:
      self.init(
        .software, operation: operation, message: "unexpected error: \(error)",
        hint: "this is a defect in feedsync; please report it")
    }
  }

  /// What helps where a syncer has something in a file's place.
  static let hintForUnarrived =
    "have the syncer keep the whole folder on this machine (no virtual files), or let it finish; do"
    + " not remove what stands for a file: that may remove the file everywhere"

  private init(container error: ContainerError, operation: String) {
    switch error {
    case .folderMissing(let path):
      self.init(
        .noContainer, operation: operation, file: path.string,
        message: "the folder is not there",
        hint: operation == "init"
          ? "mount it or create it: init never does"
          : "mount it; if it was moved, run 'feedsync init NEWPATH'")
    case .markerMissing(let path):
      self.init(
        .noContainer, operation: operation, file: path.string,
        message: "the folder has no feedsync.container: it is empty, not mounted, or no container",
        hint: Self.hintForMissingMarker(in: operation))
    case .markerUnarrived(let path):
      self.init(
        .noContainer, operation: operation, file: path.string,
        message: "the container's marker is not on this machine: this stands for it",
        hint: Self.hintForUnarrived)
    case .unreachable(let path, let errno):
      let isForbidden = errno == .permissionDenied || errno == .notPermitted
      self.init(
        isForbidden ? .notPermitted : .noContainer, operation: operation, file: path.string,
        message: Self.message(unreachableFor: errno),
        hint: Self.hint(for: errno, at: path, purpose: .reading))
    case .markerDamaged(let path, let detail):
      self.init(
        .noContainer, operation: operation, file: path.string,
        message: "the container's marker cannot be read: \(detail)",
        hint: "let your syncer finish; or copy feedsync.container from another device; or remove"
          + " it, and run 'feedsync init DIR' on a device that knows the container")
    case .newerFormat(let path, let found):
      self.init(
        .configuration, operation: operation, file: path.string,
        message: "the container has format \(found), and this feedsync knows format 1",
        hint: "update feedsync on this machine")
    case .otherContainer(let path, let expected, let found):
      self.init(
        .noContainer, operation: operation, file: path.string,
        message: "another container (\(found)) stands here, not this device's (\(expected))",
        hint: "put the right folder back; if it was moved, run 'feedsync init NEWPATH'; or join"
          + " this one and bring along all that is here: 'feedsync init"
          + " \(ShellWord.quoted(path)) --adopt' (--join leaves it where it is)")
    case .copy(let path, let original):
      self.init(
        .noContainer, operation: operation, file: path.string,
        message: "this is a copy of the folder that this device works in, \(original.string)",
        hint: Self.hintForCopy(path))
    case .moved(let path):
      self.init(
        .noContainer, operation: operation, file: path.string,
        message: "'feedsync init' has moved this device to another folder meanwhile",
        hint: "start the command again; what was written is safe here")
    case .otherIdentifier(let path, let expected, let found):
      self.init(
        .configuration, operation: operation, file: path.string,
        message: "the container's identifier is '\(found)', not '\(expected)'",
        hint: "leave out --identifier to join it, or choose another folder")
    case .stateInside(let path, let state):
      self = .nested(
        path, operation: operation,
        message: "the local state \(state.string) and the synced folder lie in one another",
        hint: "a database must never be synced: choose another --state DIR")
    case .insideAnother(let path, let outer): self = .nested(path, in: outer, operation)
    case .aroundAnother(let path, let inner): self = .nested(path, around: inner, operation)
    case .noFolder(let path): self = .noFolder(path, operation)
    }
  }

  private static func nested(
    _ path: FilePath, operation: String, message: String, hint: String
  ) -> Self {
    Self(.configuration, operation: operation, file: path.string, message: message, hint: hint)
  }

  private static func nested(_ path: FilePath, in outer: FilePath, _ operation: String) -> Self {
    nested(
      path, operation: operation,
      message: "the folder lies in a container, \(outer.string), and cannot be another one",
      hint: hintForInnerContainer)
  }

  private static func nested(
    _ path: FilePath, around inner: FilePath, _ operation: String
  ) -> Self {
    nested(
      path, operation: operation,
      message: "a container, \(inner.string), lies in the folder, which cannot be another one",
      hint: hintForInnerContainer)
  }

  private static func noFolder(_ path: FilePath, _ operation: String) -> Self {
    Self(
      .noContainer, operation: operation, file: path.string,
      message: "this is no folder, but a file or something else",
      hint: "name the folder that your machines sync")
  }

  private static func message(unreachableFor errno: Errno) -> String {
    errno == .timedOut
      ? "the folder's file system does not answer"
      : "the folder cannot be reached: \(errno.description)"
  }

  private static func hintForCopy(_ path: FilePath) -> String {
    "leave out --container; or run 'feedsync init \(ShellWord.quoted(path))' to work here from now"
      + " on"
  }

  private static let hintForInnerContainer =
    "choose a folder beside that one; if no machine uses it any more, remove its feedsync.container"
    + " first"

  private static func hintForMissingMarker(in operation: String) -> String {
    operation == "init"
      ? "mount the folder, or let your syncer finish: init makes no marker beside files of a"
        + " container in logs/; it puts theirs back, run where a device of it is known"
      : "let your syncer finish, mount the folder, or run 'feedsync init DIR', which puts the"
        + " marker back where files of the container are"
  }

  private static func damagedChoice(_ file: FilePath, operation: String) -> Self {
    Self(
      .configuration, operation: operation, file: file.string,
      message: "this file, which says what container was chosen, is damaged",
      hint: "choose again with 'feedsync containers default NAME'; 'feedsync containers' has names")
  }

  private static func watched(_ path: FilePath, by process: String, operation: String) -> Self {
    Self(
      .tryAgain, operation: operation, file: path.string,
      message: "process \(process) watches this device, or is rebuilding, adopting or leaving it",
      hint: operation == "watch"
        ? "one watch is enough; 'import --once' works beside it"
        : "wait until that is done; a watch has to be ended first")
  }

  private init(device error: DeviceError, operation: String) {
    switch error {
    case .noContainerChosen(let state):
      self.init(
        .configuration, operation: operation, file: state.string,
        message: "no container has been chosen yet",
        hint: "run 'feedsync init DIR' on the synced folder first")
    case .choiceDamaged(let file): self = .damagedChoice(file, operation: operation)
    case .notInitialised(let path, let state):
      self.init(
        .configuration, operation: operation, file: path.string,
        message: "this device has not joined the container yet",
        // Where the folder is not known, the state stands for it.
        hint: path == state
          ? "run 'feedsync init DIR', with the synced folder"
          : "run 'feedsync init \(ShellWord.quoted(path))'")
    case .rebuildUnfinished(let older): self.init(rebuilding: older, operation: operation)
    case .stateAway(let state):
      // Not `.configuration`: services do not try that again.
      self.init(
        .cannotRead, operation: operation, file: state.string,
        message: "the local state is not there, or has nothing in it",
        hint: "mount its disk; or, if this device has not joined the container yet, run 'feedsync"
          + " init DIR' on the synced folder")
    case .left(let path):
      self.init(
        .configuration, operation: operation, file: path.string,
        message: "this device has left the container",
        hint: "run 'feedsync init DIR' on the synced folder to come back as the same device")
    case .watched(let path, let process):
      self = .watched(path, by: process, operation: operation)
    case .stateOnNetwork(let path, let kind):
      self.init(
        .configuration, operation: operation, file: path.string,
        message: "the local state is on \(kind): SQLite would be damaged there, and two machines"
          + " with this home would write as one device",
        hint: "set FEEDSYNC_STATE (or --state) to a folder on a local disk, one for each machine;"
          + " to keep a state that is there, copy it to one machine with cp -a")
    case .nothingToAdopt(let path):
      self.init(
        .noContainer, operation: operation, file: path.string,
        message: "no other container of this device was in this folder: there is nothing to adopt",
        hint: "run 'feedsync init \(ShellWord.quoted(path))' to join the container that is there")
    case .placeUnknown(let database, let aside, let folder):
      self.init(adopting: database, as: aside, at: folder, operation: operation)
    case .unknownDevice(let name, let candidates):
      self.init(
        .notFound, operation: operation, file: nil,
        message: candidates == 0
          ? "no device is called '\(name)'" : "\(candidates) devices are called '\(name)'",
        hint: "name it by its id: 'feedsync devices' lists them")
    case .nothingMissing(let name):
      self.init(
        .notFound, operation: operation, message: "nothing of '\(name)' is missing here",
        hint: "'feedsync devices' says of which devices something is")
    case .ownStream:
      self.init(
        .usage, operation: operation, message: "this device waits for nothing of its own",
        hint: "'feedsync devices' says of which devices something is missing")
    case .nothingToJoin(let path):
      self.init(
        .noContainer, operation: operation, file: path.string,
        message: "there is no container to join here",
        hint: "let your syncer bring it first; on the first machine alone, leave out --join to make"
          + " one")
    }
  }

  private init(segment error: SegmentError, operation: String) {
    let message =
      switch error {
      case .incomplete: "the file ends before the segment does"
      case .damaged(let detail): "the segment is damaged: \(detail)"
      case .newer(let minimum): "the segment needs a reader of format \(minimum)"
      case .otherBranch: "the segments do not continue one another"
      }
    self.init(.badInput, operation: operation, message: message)
  }
}
