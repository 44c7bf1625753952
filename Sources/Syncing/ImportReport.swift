import DocumentStorage
import Replication
import SystemFiles

/// What an import found and did.
package struct ImportReport: Sendable {
  /// Something of a stream that has not arrived though later parts of it have.
  package struct Gap: Hashable, Sendable {
    package let stream: StreamID
    package let name: String?
    package let first: UInt64
    package let last: UInt64
    /// In milliseconds since 1970.
    package let since: Int64
  }

  package var segments = 0
  package var transactions = 0
  package var operations = 0
  package var documents = 0
  /// Local transactions brought into the folder.
  package var published = 0
  package var gaps: [Gap] = []
  /// All files that are set aside now, sorted by where they stand.
  package var setAside: [FileRecord] = []
  /// Files that had been set aside, and were imported now.
  package var restored: [FileKey] = []
  package var duplicates = 0
  package var foreign = 0
  /// Why local transactions could not be published, if so.
  package var publishingFailure: (any Error & Sendable)?

  package init() {}
}
