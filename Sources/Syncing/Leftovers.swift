import SharedFolder
import SystemFiles
import SystemPackage

/// Removes what killed processes of this device left half written in its directory of the folder.
///
/// The rule: only in the own stream's directory, which nobody else writes, only names that feedsync
/// makes, and only files that nobody has touched for a day. Should a process be about to use one
/// all the same, no harm is done: a segment gets its name by a rename or link of the temporary
/// file, which fails then; nothing is noted as published, and the next try writes it anew.
struct Leftovers {
  private static let dayNanoseconds: Int64 = 86_400_000_000_000

  private let device: Device

  init(device: Device) { self.device = device }

  func remove(from listing: FolderListing) {
    let own = device.container.directory(of: device.record.stream)
    let now = device.ambient.now().multipliedReportingOverflow(by: 1_000_000)
    guard !now.overflow else { return }
    for leftover in listing.leftovers {
      let path = device.container.logs.appending(leftover.directory).appending(leftover.name)
      guard path.parent == own, let status = try? device.container.files.status(of: path),
        status.kind == .regular, status.modified < now.partialValue - Self.dayNanoseconds
      else { continue }
      // What cannot be removed is in nobody's way; a later scan tries again.
      try? device.container.files.remove(path)
    }
  }
}
