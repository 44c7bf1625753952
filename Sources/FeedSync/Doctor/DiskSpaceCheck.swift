import SystemFiles
import SystemPackage

/// Whether the disks of the folder and of the state have room left.
package struct DiskSpaceCheck: DoctorCheck {
  package let name = "disk-space"
  /// Less than this is little: an import may write as much at once.
  static let scarceBytes: UInt64 = 256 << 20
  static let scarceFiles: UInt64 = 1000

  package func findings(in patient: Patient) -> [Finding] {
    var places: [(what: String, path: FilePath)] = []
    if let folder = patient.deviceAtHand?.container.root { places.append(("folder", folder)) }
    if let state = patient.deviceState { places.append(("local state", state)) }
    return places.compactMap { place in
      patient.facts.freeSpace(place.path).flatMap { space in
        finding(space, what: place.what, path: place.path)
      }
    }
  }

  private func finding(_ space: FreeSpace, what: String, path: FilePath) -> Finding? {
    let isOutOfFiles = space.files.map { $0 < Self.scarceFiles } ?? false
    guard space.bytes < Self.scarceBytes || isOutOfFiles else { return nil }
    let hasNoBytes = space.bytes < 1 << 20
    let isFull = hasNoBytes || space.files == 0
    // What there is none of, before what there is little of.
    let lacksFiles = isOutOfFiles && !hasNoBytes
    let rest =
      lacksFiles && (space.files == 0 || space.bytes >= Self.scarceBytes)
      ? "\(space.files ?? 0) more files" : FindingWords.size(space.bytes)
    return Finding(
      isFull ? .error : .warning, check: name, file: path.string,
      message: "the disk of the \(what) has room for \(rest) only",
      hint: "make room: while a disk is full, nothing can be written, and from a full disk of the"
        + " local state not even be read")
  }
}
