import DocumentStorage
import SegmentFormat
import SharedFolder
import SystemPackage

// That what was dropped is told before anything is dropped because of it.
extension Compactor {
  /// Puts into the folder what was written anew less what is dead, and has not come there: whoever
  /// wrote it died before that, or the folder took nothing.
  ///
  /// What a delete takes away counts as dropped once it is out of the archive. If the delete were
  /// dropped then while the folder still has what it took away, that would show again for all who
  /// come; so nothing is dropped before the folder has been told (protocol.md 21 c).
  ///
  /// Names and sizes are compared. What has a proper name, and is damaged, is found out by imports.
  ///
  /// - returns: whether the folder has all of it.
  func declareDropped(of streams: [CompactableStream]) throws -> Bool {
    var isDeclared = true
    // Of others nothing is dropped, and what is not told of them yet imports see to.
    for compactable in streams where compactable.mayDrop {
      for segment in try undeclared(of: compactable) {
        do {
          guard let kept = try device.database.archivedFile(of: segment) else { continue }
          try device.requireContainer()
          _ = try device.container.publish(
            kept.file, of: kept.range, temporaryName: device.ambient.temporaryName())
        } catch let error where Self.isOfOneStream(error) {
          // Whatever is written next is refused likewise, and tells of it.
          isDeclared = false
        }
      }
    }
    return isDeclared
  }

  /// The segments of a stream from which something was dropped, of which the folder has no file.
  private func undeclared(of compactable: CompactableStream) throws -> [ArchivedSegment] {
    let reduced = try device.database.archivedSegments(of: compactable.stream)
      .filter { $0.isReduced && $0.isHeeded }
    let directory = device.container.directory(of: compactable.stream)
    return reduced.filter { segment in
      let name = SegmentName(first: segment.first, last: segment.last, digest: segment.digest)
      return !(0..<ContainerFolder.maximumCopies).contains { copy in
        guard let component = name.component(copy: copy) else { return false }
        let path = directory.appending(component)
        return (try? device.container.files.status(of: path)).map { $0.size == segment.size }
          ?? false
      }
    }
  }
}
