import DocumentStorage
import SharedFolder
import SystemFiles

extension World {
  /// What a device takes for published is in its folder, or was when the syncer came.
  ///
  /// Judged where no database is a copy of another, and no file takes the place of others.
  func checkPublished(by machine: Machine) throws {
    guard machine.place == .home, !machine.owesItsFolder, figures.copies == 0, !isCompacting
    else { return }
    for (stream, directory) in zip(machine.streams, machine.directories) {
      for segment in try machine.database.archivedSegments(of: stream) {
        guard let bytes = try machine.database.archivedBytes(of: segment),
          !syncer.hasSeen(bytes, in: directory)
        else { continue }
        let path = Machine.root.appending("logs").appending(directory)
        let entries = (try? machine.files.list(path)) ?? []
        guard entries.contains(where: { machine.files.bytes(at: path.appending($0.name)) == bytes })
        else {
          throw Finding(
            "device \(machine.number) takes \(segment.first)-\(segment.last) for published,"
              + " which nobody has")
        }
      }
    }
  }
}
