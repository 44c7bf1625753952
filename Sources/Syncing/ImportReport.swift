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
  /// Files that the folder had lost and this device has put back.
  package var putBack = 0
  /// Whether this device found itself cloned or restored, and goes on under a new stream.
  package var hasNewStream = false
  /// Documents that were edited here, and deleted and forgotten elsewhere: they were written anew.
  package var revived = 0
  /// Removals that had waited here, and were given up since somebody had written there beside what
  /// their author meant: that shows again, as a conflict.
  package var removalsGivenUp = 0
  package var gaps: [Gap] = []
  /// All files that are set aside now, sorted by where they stand.
  package var setAside: [FileRecord] = []
  /// Files that had been set aside, and were imported now.
  package var restored: [FileKey] = []
  package var duplicates = 0
  package var foreign = 0
  /// The places of devices' folders in which something else stands, such as a link.
  package var obstructed: [StreamID] = []
  /// Whether it ended early because it was asked to; what it did by then is told.
  package var isStopped = false
  /// Why local transactions could not be published, if so.
  package var publishingFailure: (any Error & Sendable)?

  package init() {}

  /// What two imports came to, one right after the other.
  func added(to earlier: ImportReport) -> ImportReport {
    var sum = self
    sum.segments += earlier.segments
    sum.transactions += earlier.transactions
    sum.operations += earlier.operations
    sum.documents += earlier.documents
    sum.published += earlier.published
    sum.putBack += earlier.putBack
    sum.hasNewStream = hasNewStream || earlier.hasNewStream
    sum.revived += earlier.revived
    sum.removalsGivenUp += earlier.removalsGivenUp
    sum.restored = earlier.restored + restored
    return sum
  }
}

/// How far an import has come.
package struct ImportProgress: Sendable, Equatable {
  /// Files dealt with, and how many there are; more may turn out to fit once these are imported.
  package var files = 0
  package var totalFiles = 0
  /// Operations written, and those in the files that have been read.
  package var operations = 0
  package var operationsRead = 0

  package init() {}

  mutating func begin(files count: Int) { totalFiles = files + count }
}
