import DocumentStorage
import SharedFolder

/// Reads files for whoever takes one after another, ahead of it on another thread: of many small
/// ones, to read them takes a fifth of an import's time, and over a network most of it.
struct FilesAhead {
  private let work: WorkAhead<Int, SegmentReading<HeldSegment>>

  /// So many bytes of files may be read ahead: about what may be unpacked ahead.
  private static let most = 2 << 20
  /// What a file takes beside its content.
  private static let fileBytes = 512

  init(_ files: [FolderListing.File], reader: SegmentReader, on helper: WorkHelper) {
    // A fake that counts what is asked of it is asked by one thread.
    let isHelped = reader.container.files.readsInParallel
    work = WorkAhead(most: Self.most, on: isHelped ? helper : nil) { place in
      let reading = reader.take(files[place])
      guard case .segment(let held, _) = reading else { return (reading, 0) }
      return (reading, held.bytes.count)
    }
    for place in files.indices { _ = work.add(place, bytes: Self.fileBytes) }
  }

  /// What the file at a place came to; asked once of each, in their order.
  func reading(_ place: Int) -> SegmentReading<HeldSegment> { work.take(place) ?? .gone }

  /// The same, where it has been read by now.
  func reading(ifReady place: Int) -> SegmentReading<HeldSegment>? { work.take(ifReady: place) }

  /// Reads no more ahead.
  func end() { work.end() }
}
