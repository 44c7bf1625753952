import DocumentStorage
import SystemFiles
import SystemPackage

/// Keeps what removes a device's copies of blobs apart from what attaches them, in all its
/// processes.
///
/// Not the database's own lock: a folder on a network may not answer for long while a copy is
/// removed there, and whoever writes documents need not wait for that.
struct BlobLock {
  /// Nil for a database in memory, which no other process has.
  private let lock: FileLock?

  /// For whoever attaches: waits until nobody removes.
  static func shared(of device: Device) throws -> BlobLock {
    try BlobLock(device, exclusive: false, wait: true)
  }

  /// For whoever removes; nil while somebody attaches.
  static func exclusive(of device: Device) throws -> BlobLock? {
    do {
      return try BlobLock(device, exclusive: true, wait: false)
    } catch let error as FileError where error.isLockedByAnother {
      return nil
    }
  }

  /// For whoever changes the notes of what is unused: waits until nobody does; those that attach
  /// are not kept apart from one another otherwise.
  static func ofNotes(of device: Device) throws -> BlobLock {
    try BlobLock(device, "blob-notes", exclusive: true, wait: true)
  }

  private init(
    _ device: Device, _ name: FilePath.Component = "blobs", exclusive: Bool, wait: Bool
  ) throws {
    guard let state = device.database.directory else {
      lock = nil
      return
    }
    let files = LinuxFileSystem()
    let path = try StateLocks.file(name, in: state, files)
    lock = try files.lock(path, exclusive: exclusive, wait: wait, holder: [])
  }

  func release() { lock?.release() }
}
