import BlobStorage
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

/// Since when nothing refers to a device's copies, as noted beside them.
///
/// Not in the database: it is about what stands in this folder, and who loses it keeps more.
///
/// A look adds to them only while nobody attaches, and whoever attaches takes out what it is about:
/// a time that stands here is one since which nothing has been attached that refers to the copy.
/// Whoever else refers to it again takes nothing out: before a copy goes, the logs are asked.
struct BlobNotes {
  private let blobs: BlobFolder
  private let path: FilePath
  private let device: Device
  private var files: any FileSystem { blobs.container.files }

  init(blobs: BlobFolder, stream: StreamID, device: Device) {
    self.blobs = blobs
    self.device = device
    path = blobs.directory(of: stream).appending(UnusedNotes.name)
  }

  /// What is noted; nothing where it cannot be read.
  func read() -> [BlobHash: Int64] {
    let bytes = try? files.contents(of: path, limit: UnusedNotes.maximumBytes).bytes
    return bytes.map(UnusedNotes.decode) ?? [:]
  }

  /// Has the time of a copy begin anew, before something refers to it once more.
  ///
  /// For whoever attaches, and so keeps everybody else from adding to the notes.
  func forget(_ hash: BlobHash) throws {
    guard read()[hash] != nil else { return }
    try change { $0[hash] = nil }
  }

  /// Changes what is noted, one process after the other: those that attach do so at once.
  func change(_ body: (inout [BlobHash: Int64]) -> Void) throws {
    let lock = try BlobLock.ofNotes(of: device)
    defer { lock.release() }
    let noted = read()
    var unused = noted
    body(&unused)
    if unused != noted { try write(unused) }
  }

  private func write(_ unused: [BlobHash: Int64]) throws {
    // Durably: what was noted before says of what is attached now that nothing has referred to it
    // for long.
    try files.replaceDurably(path, with: UnusedNotes.encode(unused), device.ambient)
  }
}

/// Removes what killed processes of this device left half written beside its copies.
///
/// As ``Leftovers`` does beside its segments: only feedsync's temporary names, and only files that
/// nobody has written to for a day.
struct BlobLeftovers {
  private static let dayNanoseconds: Int64 = 86_400_000_000_000
  private let device: Device
  private let blobs: BlobFolder

  init(device: Device, blobs: BlobFolder) {
    self.device = device
    self.blobs = blobs
  }

  func remove(of stream: StreamID) {
    let files = blobs.container.files
    let now = device.ambient.now().multipliedReportingOverflow(by: 1_000_000)
    guard !now.overflow, let names = try? blobs.leftovers(of: stream) else { return }
    for name in names {
      let path = blobs.directory(of: stream).appending(name)
      guard let status = try? files.status(of: path), status.kind == .regular,
        status.modified < now.partialValue - Self.dayNanoseconds
      else { continue }
      // What cannot be removed is in nobody's way; the next run tries again.
      try? files.remove(path)
    }
  }
}
