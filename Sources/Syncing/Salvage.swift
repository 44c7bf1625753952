import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles
import SystemPackage

/// Publishes all that one database can still give into the folder of another device.
///
/// Every transaction keeps its stream, its sequence and its fingerprint, which do not depend on the
/// container (protocol.md 28, 29): whoever has it already finds nothing new, and nothing is counted
/// or written twice.
struct Salvage {
  /// What became of it.
  struct Report: Sendable, Equatable {
    /// How many segments were published that the folder did not have.
    var published = 0
    /// How many could not be read any more.
    var unreadable = 0
  }

  let source: StoreDatabase
  let target: Device

  func publishAll() throws -> Report {
    var report = Report()
    // A damaged database may give some of it and not the rest.
    let waiting = try? source.waitingSegments()
    if waiting == nil { report.unreadable += 1 }
    let streams = (try? source.streamSummaries()) ?? []
    for stream in streams {
      let kept = (try? source.archivedSegments(of: stream.stream)) ?? []
      for segment in kept {
        guard let bytes = try? source.archivedBytes(of: segment),
          let content = try? SegmentFile.decode(bytes).segment
        else {
          report.unreadable += 1
          continue
        }
        try publish(content, into: &report)
      }
    }
    for segment in waiting ?? [] { try publish(segment, into: &report) }
    return report
  }

  private func publish(_ segment: Segment, into report: inout Report) throws {
    try target.requireContainer()
    let (_, publication) = try target.container.publish(
      segment.moved(to: target.record.container), temporaryName: target.ambient.temporaryName())
    if publication == .written { report.published += 1 }
  }
}

extension Segment {
  /// The same transactions as a segment of another container.
  fileprivate func moved(to container: ContainerID) -> Segment {
    Segment(
      range: Range(
        container: container, stream: range.stream, first: range.first, last: range.last,
        fingerprintBefore: range.fingerprintBefore),
      attributes: attributes, transactions: transactions)
  }
}
