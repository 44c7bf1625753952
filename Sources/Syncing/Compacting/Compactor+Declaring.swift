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
  /// come; so nothing is dropped before the folder has been told (protocol.md 21 c). What is
  /// written anew in a pass is told by the next at the latest: a delete is looked at in one pass,
  /// and dropped in a later one.
  ///
  /// Names and sizes are compared. What has a proper name, and is damaged, is found out by imports.
  ///
  /// - returns: whether the folder has all of it, and what hindered that of one stream.
  func declareDropped(
    of streams: [CompactableStream]
  ) throws -> (isDeclared: Bool, hindrance: (any Error)?) {
    var (isDeclared, hindrance): (Bool, (any Error)?) = (true, nil)
    var hasDone = false
    for compactable in streams {
      do {
        for segment in try undeclared(of: compactable) {
          // What is to be told of one that branches, or of which a statement waits, imports see to.
          guard compactable.mayDrop, !isEnding(hasDone) else {
            isDeclared = false
            break
          }
          try declare(segment)
          hasDone = true
        }
      } catch let error where Self.isOfOneStream(error) {
        (isDeclared, hindrance) = (false, hindrance ?? error)
      }
    }
    return (isDeclared, hindrance)
  }

  /// Whether nothing is dropped of any stream, since the folder lacks what tells of what was
  /// dropped of one, which ``declareDropped(of:)`` does not mend.
  func isUntold(of streams: [CompactableStream]) throws -> Bool {
    try streams.contains { try !$0.mayDrop && !undeclared(of: $0).isEmpty }
  }

  private func declare(_ segment: ArchivedSegment) throws {
    guard let kept = try device.database.archivedFile(of: segment) else { return }
    try device.requireContainer()
    _ = try device.container.publish(
      kept.file, of: kept.range, temporaryName: device.ambient.temporaryName())
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
