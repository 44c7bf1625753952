import Replication

/// Whether a blob can be had here, and if not, from whom it may still come.
///
/// Only what can be told honestly: a syncer carries files in any order, so that a later file of the
/// same device proves nothing about an earlier one; and nobody here knows what another machine's
/// folder holds. A device that wrote a reference had the blob in its folder by then, on its disk.
/// So a blob may come as long as one of the devices that refer to it may still send something.
package enum BlobAvailability: Hashable, Sendable {
  /// A copy is here.
  case here(BlobCopy)
  /// No copy is here, and these devices may send one.
  case awaited(from: [StreamID])
  /// Something has the name of each copy and is not what it should be; these may send a whole one.
  case damaged([BlobCopy], awaitedFrom: [StreamID])
  /// No copy is here, and nobody is left who could send one: those who refer to it are this device,
  /// whose copy was taken away, or retired.
  case lost

  /// - parameters:
  ///   - copies: what is here, as far as it was looked at.
  ///   - authors: the devices whose operations refer to it.
  ///   - silent: those that send nothing any more: this device itself, and the retired.
  package init(copies: [BlobCopy], authors: Set<StreamID>, silent: Set<StreamID>) {
    if let whole = copies.first(where: { $0.condition == .whole }) {
      self = .here(whole)
      return
    }
    let senders = authors.subtracting(silent).sorted()
    if !copies.isEmpty {
      self = .damaged(copies, awaitedFrom: senders)
    } else {
      self = senders.isEmpty ? .lost : .awaited(from: senders)
    }
  }
}
