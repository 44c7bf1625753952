import DocumentStorage
import SharedFolder

/// The files of an import, one after another: read ahead of whoever takes them, and their segments
/// opened, on another thread.
///
/// What comes behind a part is opened while that one is committed: whoever takes them has half a
/// processor to do then, and waits for the disk.
final class UpcomingFiles {
  private let files: FilesAhead
  private let count: Int
  let opener: SegmentsAhead
  private var readings: [Int: SegmentReading<HeldSegment>] = [:]
  private var queued: [Int: QueuedSegment] = [:]

  init(_ files: [FolderListing.File], reader: SegmentReader) {
    let helper = WorkHelper()
    count = files.count
    opener = SegmentsAhead(on: helper)
    self.files = FilesAhead(files, reader: reader, on: helper)
  }

  /// What the file at a place came to, until it is done with.
  func reading(_ place: Int) -> SegmentReading<HeldSegment> {
    if let known = readings[place] { return known }
    let reading = files.reading(place)
    readings[place] = reading
    return reading
  }

  /// The segment that was read at a place, to be applied.
  func queue(_ segment: HeldSegment, at place: Int) -> QueuedSegment {
    queued.removeValue(forKey: place) ?? opener.add(segment)
  }

  /// Is done with a place: what was opened ahead of it and not asked for is let go of.
  func pass(_ place: Int) {
    readings[place] = nil
    if let unused = queued.removeValue(forKey: place) { opener.drop(unused) }
  }

  /// Has what is there from a place on opened ahead, as far as it has been read: it waits for no
  /// file.
  func openAhead(from place: Int) {
    var bytes = 0
    for next in place..<count {
      guard bytes < SegmentsAhead.most, let reading = readings[next] ?? files.reading(ifReady: next)
      else { return }
      readings[next] = reading
      guard case .segment(let segment, _) = reading else { continue }
      bytes += segment.openBytes
      queued[next] = queued[next] ?? opener.add(segment)
    }
  }

  /// Reads and opens no more ahead.
  func end() {
    files.end()
    opener.end()
  }
}
