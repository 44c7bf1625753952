import BlobStorage
import DocumentStorage
import Replication
import SharedFolder
import SystemFiles

/// Brings a blob into the folder as this device's own, and then has a transaction refer to it.
///
/// In this order: whoever reads the reference, here or elsewhere, finds that its author had the
/// blob on disk. What looks after the blobs removes none from before one is stored until the
/// transaction is over; right before that it is looked once more whether it is there: people remove
/// files, too. Since when nothing referred to one that was there already is forgotten before that.
///
/// Where the device has been moved to another folder by then, nothing is written: whoever publishes
/// the reference there would not bring the blob, which only this folder has.
package struct Attaching {
  private let device: Device
  private let blobs: BlobFolder
  private let isStopping: () -> Bool
  /// Whoever takes the blob away again and again is told of.
  private static let attempts = 3

  /// - parameter isStopping: asked between pieces whether to give up.
  /// - throws: ``ContainerError`` where the folder is not there, is another one, or is not that in
  ///   which the device works any more.
  package init(device: Device, isStopping: @escaping () -> Bool = { false }) throws {
    try device.requireContainer()
    self.device = try device.settled()
    _ = try self.device.homes()
    self.isStopping = isStopping
    blobs = BlobFolder(self.device.container)
  }

  /// Stores what a source gives, and runs `commit`.
  ///
  /// - parameter commit: commits a transaction that refers to the blob; it must call `check` inside
  ///   that, with its writer, and pass on what it throws. It runs once at most.
  /// - throws: as ``BlobWriter/store(_:)``, and what `commit` throws; ``ContainerError/moved(_:)``
  ///   where `init` has moved the device meanwhile.
  package func attach<Value>(
    _ source: BlobSource,
    commit: (_ stored: BlobWriter.Stored, _ check: (StoreWriter) throws -> Void) throws -> Value
  ) throws -> Value {
    let stream = try device.database.device()?.stream ?? device.record.stream
    let ambient = device.ambient
    let writer = BlobWriter(
      blobs, stream: stream, temporaryName: { ambient.temporaryName() }, isStopping: isStopping)
    let notes = BlobNotes(blobs: blobs, stream: stream, device: device)
    let lock = try BlobLock.shared(of: device)
    defer { lock.release() }
    var attempt = 1
    while true {
      let stored = try writer.store(source)
      try notes.forget(stored.hash)
      guard isThere(stored, in: stream) else {
        guard source.canBeReadAgain, attempt < Self.attempts else {
          throw BlobError.vanished(blobs.file(stored.hash, of: stream))
        }
        attempt += 1
        continue
      }
      let homes = try device.homes()
      return try commit(stored) { writer in
        guard try writer.home().map(homes.contains) ?? true else {
          throw ContainerError.moved(device.container.root)
        }
      }
    }
  }

  /// Whether nobody has taken away what was stored.
  ///
  /// Asked before the transaction, not in it: a folder on a network may not answer for long, and
  /// whoever writes documents need not wait for that. What is taken away between the two might as
  /// well be right after them; what looks after the blobs waits for both.
  private func isThere(_ stored: BlobWriter.Stored, in stream: StreamID) -> Bool {
    let status = try? device.container.files.status(of: blobs.file(stored.hash, of: stream))
    return status?.kind == .regular && status?.size == stored.size
  }
}
