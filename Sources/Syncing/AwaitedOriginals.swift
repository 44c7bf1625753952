import DocumentStorage
import Replication

/// What databases have taken in whose place a device has taken, and that one has not yet, as long
/// as its recovery is not over.
///
/// Others may have dropped something of it since. Only where it is taken in before the file that
/// lacks that, it is seen whether something written here stands on it (protocol.md 24). So such a
/// file is left for the recovery, which goes on with `init` or `rebuild`; all else is taken in.
package struct AwaitedOriginals: Sendable {
  private var names: [StreamID: [ImportedNames.Name]] = [:]

  init() {}

  mutating func add(_ missing: some Sequence<ImportedNames.Name>) {
    for name in missing { names[name.stream, default: []].append(name) }
  }

  /// Whether something is awaited that a file may lack.
  func holdUp(_ range: ClosedRange<UInt64>, of stream: StreamID) -> Bool {
    names[stream]?.contains { $0.first <= range.upperBound && range.lowerBound <= $0.last } ?? false
  }

  /// Whether something else is awaited that a file may lack.
  func holdUp(_ name: ImportedNames.Name) -> Bool {
    names[name.stream]?.contains {
      $0 != name && $0.first <= name.last && name.first <= $0.last
    } ?? false
  }
}

extension DeviceDirectory {
  /// What a device awaits of those whose place it has taken; nil where no recovery is to be gone on
  /// with.
  func originals(awaitedBy device: Device) throws -> AwaitedOriginals? {
    guard rebuildProgress(in: directory(of: device.record.container)) != nil else { return nil }
    var awaited = AwaitedOriginals()
    for older in try olderDatabases(of: device.record.container) where !older.isSalvaged {
      for stream in try namesOfOriginals(in: older) {
        awaited.add(try device.database.missingSegments(of: stream.key, among: stream.value))
      }
    }
    return awaited
  }

  /// What a database has taken in, each with all that it had, or with what was taken out there,
  /// too; as far as it can be read.
  ///
  /// - throws: what may pass: who went on as if it had nothing could not make up for that.
  private func namesOfOriginals(
    in older: OlderDatabase
  ) throws -> [StreamID: Set<ImportedNames.Name>] {
    var names: [StreamID: Set<ImportedNames.Name>] = [:]
    try unlessDamaged {
      let source = try existingStore(in: older.directory)
      for stream in try source.knownStreams().map(\.stream) {
        // One that is damaged is of no use to whoever waits for it.
        try unlessDamaged {
          let kept = try source.archivedSegments(of: stream)
            .filter { (!$0.isReduced || $0.isHeeded) && $0.first <= $0.last }
          names[stream] = Set(
            kept.map { segment in
              ImportedNames.Name(
                stream: stream, first: segment.first, last: segment.last, digest: segment.digest)
            })
        }
      }
    }
    return names
  }

  /// Leaves off where a database is damaged, which is what it is recovered from.
  private func unlessDamaged(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      guard Self.isDamage(error) else { throw error }
    }
  }
}
