import Replication
import SegmentFormat
import Synchronization

/// Opens segments for whoever takes one after another, ahead of it on another thread: to unpack
/// them, and complete their transactions, takes as long as to take them in.
///
///     let ahead = SegmentsAhead()
///     let queued = held.map { ahead.add($0) }
///     let part = try database.apply(queued, openedBy: ahead, now: wallClock, nonce: nonce)
package final class SegmentsAhead: Sendable {
  typealias Opened = Result<OpenedSegment, SegmentError>

  private let work: WorkAhead<HeldSegment, Opened>

  /// About so much memory may be taken ahead.
  package static let most = 8 << 20

  /// - parameters:
  ///   - most: About so much memory may be taken ahead.
  ///   - helper: Where another thread opens them.
  package init(most: Int = SegmentsAhead.most, on helper: WorkHelper = WorkHelper()) {
    let ends = OpenedEnds()
    work = WorkAhead(most: most, on: helper) { held in
      let opened = Result { () throws(SegmentError) in
        try held.opened(behind: ends.end(of: held.range.stream), mostContextBytes: most)
      }
      guard case .success(let segment) = opened else { return (opened, 0) }
      if let end = segment.end { ends.note(end, of: held.range.stream) }
      return (opened, segment.contextBytes)
    }
  }

  /// Adds a segment, which is taken once.
  package func add(_ held: HeldSegment) -> QueuedSegment {
    QueuedSegment(held: held, number: work.add(held, bytes: held.openBytes))
  }

  /// Lets go of one that is not going to be taken.
  package func drop(_ segment: QueuedSegment) { work.drop(segment.number) }

  /// Opens no more ahead.
  package func end() { work.end() }

  func opened(_ segment: QueuedSegment) -> Opened {
    // One that was taken before is opened again.
    work.take(segment.number)
      ?? Result { () throws(SegmentError) in
        try segment.held.opened(mostContextBytes: 0)
      }
  }

  /// Gives one back that has been applied.
  func giveBack(_ opened: Opened, of segment: QueuedSegment) {
    work.giveBack(opened, of: segment.number)
  }
}

/// A segment that is opened ahead of whoever applies it.
package struct QueuedSegment: Sendable {
  package let held: HeldSegment
  fileprivate let number: Int
}

/// Where the segments of each stream end that were opened last: what the next one leans on.
///
/// It is only what that one is likely to be applied behind; whoever applies it finds out.
private final class OpenedEnds: Sendable {
  private let ends = Mutex<[StreamID: StreamPosition]>([:])

  func end(of stream: StreamID) -> StreamPosition? { ends.withLock { $0[stream] } }

  func note(_ end: StreamPosition, of stream: StreamID) { ends.withLock { $0[stream] = end } }
}
