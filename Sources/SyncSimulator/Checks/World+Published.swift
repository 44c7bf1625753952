import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles
import SystemPackage

extension World {
  /// What a device takes for published is in its folder, or was when the syncer came.
  ///
  /// Where files take the place of others, the device may keep one that it has still to write; then
  /// those stand there that have the same transactions.
  ///
  /// Judged where no database is a copy of another, and the folders are there of all who look after
  /// its files: they may have joined them.
  func checkPublished(by machine: Machine) throws {
    guard figures.copies == 0 else { return }
    for (stream, directory) in zip(machine.streams, machine.directories) {
      let segments = try machine.database.archivedSegments(of: stream)
      let keepers = machines.filter { $0 === machine || $0.tended.contains(directory) }
      guard !segments.isEmpty, keepers.allSatisfy({ $0.place == .home && !$0.owesItsFolder }),
        let files = files(in: directory, on: keepers)
      else { continue }
      var standing = Standing(files, ledger)
      for segment in segments {
        guard let bytes = try machine.database.archivedBytes(of: segment),
          isCompacting ? !standing.has(all: bytes) : !standing.files.contains(bytes)
        else { continue }
        throw Finding(
          "device \(machine.number) takes \(segment.first)-\(segment.last) for published,"
            + " which nobody has")
      }
    }
  }

  /// What stands in the folders of those who look after a stream, and what the syncer has of it and
  /// does not take away; nil if one of them is refused to who looks.
  private func files(in directory: FilePath.Component, on keepers: [Machine]) -> Set<[UInt8]>? {
    let path = Machine.root.appending("logs").appending(directory)
    var files = Set(
      syncer.files.filter { $0.directory == directory && !$0.isRemoved }.map(\.bytes))
    for keeper in keepers {
      do {
        let entries = try keeper.files.list(path)
        files.formUnion(entries.compactMap { keeper.files.bytes(at: path.appending($0.name)) })
      } catch {
        guard error.errno == .noSuchFileOrDirectory else { return nil }
      }
    }
    return files
  }
}

/// Files of a stream, and the transactions that they have, be they emptied.
private struct Standing {
  let files: Set<[UInt8]>
  private let ledger: Ledger
  private var tips: Set<Context.Entry>?

  init(_ files: Set<[UInt8]>, _ ledger: Ledger) {
    self.files = files
    self.ledger = ledger
  }

  /// Whether they have all transactions of a file.
  mutating func has(all file: [UInt8]) -> Bool {
    guard !files.contains(file) else { return true }
    let known = tips ?? Set(files.flatMap(tips))
    tips = known
    return tips(of: file).allSatisfy(known.contains)
  }

  private func tips(of file: [UInt8]) -> [Context.Entry] {
    // What is cut or no segment has none.
    guard let segment = try? SegmentFile.decode(file).segment else { return [] }
    let range = segment.range
    let start =
      ledger.position(before: range)
      ?? StreamPosition(
        sequence: range.first - 1, fingerprint: range.fingerprintBefore, context: Context())
    return ((try? segment.transactions(after: start)) ?? []).map(\.header.tip)
  }
}
