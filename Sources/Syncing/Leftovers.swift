import DocumentStorage
import SharedFolder
import SystemFiles
import SystemPackage

/// Removes what killed processes of this device left half written in its directories of the folder.
///
/// The rule: only in those of streams that it writes or wrote, only names that feedsync makes, and
/// only files that nobody has touched for a day. Should a process be about to use one all the same,
/// no harm is done: a segment gets its name by a rename or link of the temporary file, which fails
/// then; nothing is noted as published, and the next try writes it anew.
struct Leftovers {
  private static let dayNanoseconds: Int64 = 86_400_000_000_000

  private let device: Device

  init(device: Device) { self.device = device }

  func remove(from listing: FolderListing) {
    guard !listing.leftovers.isEmpty, let own = try? directories() else { return }
    let now = device.ambient.now().multipliedReportingOverflow(by: 1_000_000)
    guard !now.overflow else { return }
    for leftover in listing.leftovers {
      let path = device.container.logs.appending(leftover.directory).appending(leftover.name)
      guard own.contains(path.parent), let status = try? device.container.files.status(of: path),
        status.kind == .regular, status.modified < now.partialValue - Self.dayNanoseconds
      else { continue }
      // What cannot be removed is in nobody's way; a later scan tries again.
      try? device.container.files.remove(path)
    }
  }

  /// Not only that of the stream which the device had when it was opened: it may write another by
  /// now, and puts back and joins the files of those that it had before.
  private func directories() throws -> Set<FilePath> {
    Set(
      try device.database.streamSummaries().filter { $0.isOwn || $0.wasOwn }
        .map { device.container.directory(of: $0.stream) })
  }
}
