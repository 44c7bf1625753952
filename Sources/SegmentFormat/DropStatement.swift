import Replication

/// What a segment says of operations that were dropped from it (protocol.md 22).
///
/// That a transaction lacks operations which it had tells which they are: dead for every reader.
/// One that has applied them takes them out, once it has applied all that the writer had: by then
/// it has what covers them, too.
///
///     let statement = DropStatement(applied: frontier.applied, historyStart: clock.latest)
///     let segment = try Segment(joining: parts, dropping: dead, as: statement)
package struct DropStatement: Hashable, Sendable {
  /// All that its writer had applied.
  package let applied: Context
  /// What was dropped had been written over or deleted by then: as of that moment and any later one
  /// documents can be told without it, but not as of an earlier one.
  package let historyStart: HybridTime

  package init(applied: Context, historyStart: HybridTime) {
    self.applied = applied
    self.historyStart = historyStart
  }

  /// What several say together; nil if none says anything.
  package init?(of segments: [Segment]) {
    let statements = segments.compactMap(\.statement)
    guard let start = statements.map(\.historyStart).max() else { return nil }
    applied = Context(statements.flatMap(\.applied.entries))
    historyStart = start
  }
}

extension Segment {
  /// What it says of what was dropped from it; nil if nothing was, or it says nothing sensible.
  package var statement: DropStatement? {
    guard let content = attributes.first(where: { $0.number == DropStatement.attribute })?.content
    else { return nil }
    return try? DropStatement(content)
  }
}

extension DropStatement {
  /// The number of the attribute that holds it.
  static let attribute: UInt64 = 4

  /// The attribute that says it.
  package var stored: Segment.Attribute {
    var content: [UInt8] = []
    content.append(bigEndian: historyStart.rawValue)
    content.appendVarint(UInt64(applied.entries.count))
    for entry in applied.entries {
      content.append(entry.stream)
      content.appendVarint(entry.sequence)
      content.append(entry.fingerprint)
    }
    return Segment.Attribute(number: Self.attribute, content: content)
  }

  /// - throws: ``SegmentError`` if the attribute's content is malformed.
  fileprivate init(_ content: [UInt8]) throws(SegmentError) {
    var reader = ByteReader(content)
    let start = HybridTime(rawValue: try reader.unsigned64())
    guard start <= .latest else { throw .damaged("a statement is not possible") }
    var entries: [Context.Entry] = []
    let count = try reader.count(of: 33)
    guard count <= SegmentFile.maximumContextEntries else {
      throw .damaged("a statement names more than it can")
    }
    for _ in 0..<count {
      let stream: StreamID = try reader.identifier()
      let sequence = try reader.varint()
      guard sequence > 0, sequence < UInt64(Int64.max) else {
        throw .damaged("a statement is not possible")
      }
      entries.append(
        Context.Entry(stream: stream, sequence: sequence, fingerprint: try reader.identifier()))
    }
    guard reader.remaining == 0 else { throw .damaged("more follows a statement") }
    self.init(applied: Context(entries), historyStart: start)
  }
}
