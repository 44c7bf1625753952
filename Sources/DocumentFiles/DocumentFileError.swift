import SystemFiles
import SystemPackage

/// Why something could not be done with a document or one of its versions.
///
/// It is data only; who speaks to a user words it.
public enum DocumentFileError: Error, Hashable, Sendable {
  /// There is no such document, nor any version of it.
  case notFound(path: String)
  /// A link, a FIFO, a folder or a device stands where a document was to be.
  case notAFile(path: String, kind: String)
  /// The path is that of the folder itself, or of a hidden or temporary file of a syncer.
  case notADocument(path: String)
  /// The file is not what it was when it was looked at last: nothing was overwritten.
  case changedMeanwhile(path: String)
  /// The current version cannot be removed, nor marked as resolved.
  case isCurrent(path: String)
  /// The document has no such version, or it is not what it was when it was listed.
  case noSuchVersion(path: String, version: String)
  /// The document is closed.
  case closed(path: String)
  /// Contents are being exchanged for others: edits would be lost.
  case editingDisabled(path: String)
  /// It is larger than a document may be, in bytes.
  case tooLarge(path: String, limit: Int)
  /// The contents are not of the form that was asked for.
  case unreadable(path: String, reason: String)
  /// A folder is not looked into: all together would have more names than this, or it is deeper.
  case tooMany(path: String, limit: Int, depth: Int)
  /// The synced folder is away, in words of who knows why.
  case folderAway(path: String, reason: String)
  /// A system call failed.
  case system(operation: String, path: String, errno: Int32)

  /// The file that it concerns.
  public var path: String {
    switch self {
    case .notFound(let path), .notAFile(let path, _), .notADocument(let path),
      .changedMeanwhile(let path), .isCurrent(let path), .noSuchVersion(let path, _),
      .closed(let path), .editingDisabled(let path), .tooLarge(let path, _),
      .unreadable(let path, _), .tooMany(let path, _, _), .folderAway(let path, _),
      .system(_, let path, _):
      path
    }
  }
}

extension DocumentFileError {
  init(_ error: FileError, limit: Int = 0) {
    let path = error.path.string
    if let kind = error.foundKind {
      self = .notAFile(path: path, kind: kind.rawValue)
    } else if error.isTooLarge {
      self = .tooLarge(path: path, limit: limit)
    } else {
      self = .system(operation: error.operation.rawValue, path: path, errno: error.errno.rawValue)
    }
  }

  /// Runs what meets the file system, and turns its errors into this type's.
  static func wrapping<Value>(limit: Int = 0, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as FileError {
      throw DocumentFileError(error, limit: limit)
    }
  }
}
