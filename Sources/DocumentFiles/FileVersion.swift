import Crypto
import FileCoordination
import Foundation
import SystemPackage

/// A version of a document: the current one, one of another machine that a syncer has kept beside
/// it, or one that was kept on this machine when a conflict was settled.
///
///     let versions = try documents.otherVersions(of: "report.txt") ?? []
///     for version in versions where version.isConflict && !version.isResolved { … }
///
/// It is a value, as things were when it was listed; what is done to it fails if they are otherwise
/// by then. Versions of one file with one identifier are equal.
///
/// The counterpart of `NSFileVersion`.
public struct FileVersion: Sendable {
  /// Where a version comes from.
  public enum Origin: String, Hashable, Sendable, CaseIterable {
    /// It is what the document is now.
    case current
    /// A syncer has kept it beside the document, and brings it to all machines.
    case conflict
    /// It is kept on this machine alone.
    case kept
  }

  /// The document.
  public let file: FilePath
  /// Names the version among those of its file, as long as it exists: on all machines for one of
  /// a conflict.
  public let persistentIdentifier: String
  /// Where it comes from.
  public let origin: Origin
  /// Where its contents are.
  ///
  /// Read them only: a change would be a change of the version.
  public let path: FilePath
  /// When its contents were last changed, by the clock of the machine that changed them.
  public let modificationDate: Date
  /// How many bytes it has.
  public let size: Int64
  /// The machine, its user or its device id, as far as a conflict copy's name says.
  public let localizedNameOfSavingComputer: String?
  /// Whether it lost a conflict, settled or not.
  public let isConflict: Bool
  /// Whether it need not be dealt with any more.
  ///
  /// A version that is resolved never becomes unresolved again: nothing here does that.
  public var isResolved: Bool { origin != .conflict }

  /// Names the version among those of its file as it was when it was listed, in eight hexadecimal
  /// digits: it has another one once it has been written anew.
  ///
  /// For people to type. It goes by the identifier, the size and the time of the contents, so that
  /// no other version has it, whatever comes or goes.
  public var handle: String {
    var hash = SHA256()
    hash.update(data: Array(persistentIdentifier.utf8))
    // Not by the file's number, which some file systems make up anew each time they are mounted.
    for number in [UInt64(bitPattern: size), modificationDate.timeIntervalSince1970.bitPattern] {
      withUnsafeBytes(of: number.bigEndian) { hash.update(bufferPointer: $0) }
    }
    let digits = Array("0123456789abcdef".utf8)
    let text = hash.finalize().prefix(4).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }

  /// Where the current version's identifier is asked for.
  static let currentIdentifier = "current"
  let stamp: FileStamp
}

extension FileVersion: Hashable {
  /// Whether both are one version of one file, whatever has become of it meanwhile.
  ///
  /// By their names' bytes: two names that a machine takes for one are two files on another.
  public static func == (one: FileVersion, other: FileVersion) -> Bool {
    one.file == other.file && one.origin == other.origin && one.path == other.path
  }

  /// Hashes what makes versions equal.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(file)
    hasher.combine(path)
  }
}
