import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder

/// How a file looked at a full scan.
struct SeenFile {
  let look: FileRecord.Look
  /// Whether its segment is as it was published.
  ///
  /// Once the archive lets go of such a one, it is never put there again under that name: names of
  /// what was taken in are kept for good, and what joins others stands in the place of all that it
  /// holds. One that was joined, or from which something was dropped, may be made again.
  let isOriginal: Bool
}

/// What the database knows of the folder's files, with changes that are still to be saved.
///
/// Kept between two scans, and read again when another process has changed the database.
struct FolderKnowledge {
  private let database: StoreDatabase
  private var version: Int?
  private var names = ImportedNames()
  private var records: [FileKey: FileRecord] = [:]
  private var noted: Set<FileKey> = []
  private var forgotten: Set<FileKey> = []
  /// How this device's own files looked at the last full scan.
  private var looks: [FileKey: SeenFile] = [:]

  private let now: @Sendable () -> Int64

  /// - parameter now: milliseconds since 1970.
  init(database: StoreDatabase, now: @escaping @Sendable () -> Int64) {
    self.database = database
    self.now = now
  }

  mutating func refresh() throws {
    let current = try database.changeCount()
    guard current != version else { return }
    names = try database.importedNames()
    records = try database.fileRecords()
    version = current
  }

  mutating func save() throws {
    try database.updateFileRecords(
      noted: noted.sorted().compactMap { records[$0] }, forgotten: forgotten.sorted())
    noted = []
    forgotten = []
  }
}

// MARK: - Asking

extension FolderKnowledge {
  func isImported(_ claim: FolderListing.Claim) -> Bool {
    names.segments.contains(
      ImportedNames.Name(
        stream: claim.stream, first: claim.name.first, last: claim.name.last,
        digest: claim.name.digest))
  }

  /// Whether a file was read, whatever came of it.
  func hasRead(_ file: FolderListing.File) -> Bool {
    records[file.key] != nil || file.claim.map { isImported($0) } ?? false
  }

  private static let branchDetail = "it continues a branch that is not here"

  // Of most folders there are none, and to look for one takes the key's hash all the same.
  func record(of key: FileKey) -> FileRecord? { records.isEmpty ? nil : records[key] }

  /// The files that waited behind a hole and fit now, one after another; and those that waited for
  /// another branch, as soon as anything is known of it that was not when they were read.
  func readyAfterWaiting() throws -> Set<FileKey> {
    let tried = records.values.filter { $0.tried != nil }.compactMap(\.range?.stream)
    let known = try database.knowledge(of: Set(tried))
    let waiting = records.values
      .filter { ($0.reason == .waiting || $0.tried != nil) && $0.range != nil }
      .sorted { ($0.range?.first ?? 0) < ($1.range?.first ?? 0) }
    var reached: [StreamID: UInt64] = [:]
    var ready: Set<FileKey> = []
    for record in waiting {
      guard let range = record.range else { continue }
      let end = reached[range.stream] ?? applied(range.stream)
      let isTried = record.tried.map { $0 == known[range.stream] } ?? false
      guard range.first <= end + 1, !isTried else { continue }
      reached[range.stream] = max(end, range.last)
      ready.insert(record.key)
    }
    return ready
  }

  /// How far a stream is applied, or what is missing of it given up.
  func applied(_ stream: StreamID) -> UInt64 {
    max(names.applied[stream] ?? 0, names.givenUp[stream] ?? 0)
  }

  var setAside: [FileRecord] {
    records.values.filter { $0.reason.isSetAside }.sorted { $0.key < $1.key }
  }

  /// Files of another container whose transactions may all be here by now.
  ///
  /// - parameter all: whether something was applied, so that those known before may be, too.
  func otherContainers(all: Bool) -> [FileKey: FileRecord] {
    records.filter { key, record in
      guard record.reason == .otherContainer, all || noted.contains(key) else { return false }
      return record.range.map { applied($0.stream) >= $0.last } ?? true
    }
  }

  /// Whether there was anything under `logs/`, as far as is known here.
  var knowsFiles: Bool { !names.segments.isEmpty || !records.isEmpty }

  /// Whether a file's record is not in the database yet.
  func isNew(_ key: FileKey) -> Bool { noted.contains(key) }

  var duplicateCount: Int { records.values.count { $0.reason == .duplicate } }

  /// What is missing in front of files that wait, stream by stream.
  func gaps() -> [FileRecord.Range] {
    let records = records.values.filter { $0.reason == .waiting }
    let waiting = records.compactMap(\.range)
    let branches = Set(records.filter { $0.detail == Self.branchDetail }.compactMap(\.range))
    return Dictionary(grouping: waiting, by: \.stream).sorted { $0.key < $1.key }
      .flatMap { stream, ranges in
        var gaps: [FileRecord.Range] = []
        var reached = applied(stream)
        let givenUp = names.givenUp[stream] ?? 0
        for range in ranges.sorted(by: { $0.first < $1.first }) {
          // It cannot be read without what is given up, so that it is as good as missing.
          if branches.contains(range), range.first <= givenUp + 1 { continue }
          if range.first > reached + 1 {
            gaps.append(
              FileRecord.Range(stream: stream, first: reached + 1, last: range.first - 1))
          } else if branches.contains(range), range.first > 1 {
            // From where on it is missing, nobody can tell.
            gaps.append(
              FileRecord.Range(stream: stream, first: range.first - 1, last: range.first - 1))
          }
          reached = max(reached, range.last)
        }
        return gaps
      }
  }
}

// MARK: - Learning

extension FolderKnowledge {
  mutating func note(_ record: FileRecord) {
    let record = record.after(records[record.key], now: now())
    guard records[record.key] != record else { return }
    records[record.key] = record
    noted.insert(record.key)
    forgotten.remove(record.key)
  }

  /// - parameter tried: how much is known of its stream, if it continues another branch than those
  ///   that are here.
  mutating func noteWaiting(
    _ segment: HeldSegment, look: FileRecord.Look, tried: Int? = nil,
    as reason: FileRecord.Reason = .waiting
  ) {
    let range = segment.range
    note(
      FileRecord(
        key: segment.file, look: look, reason: reason,
        detail: tried == nil || reason != .waiting ? nil : Self.branchDetail,
        range: FileRecord.Range(stream: range.stream, first: range.first, last: range.last),
        tried: tried))
  }

  mutating func forget(_ key: FileKey) {
    guard records.removeValue(forKey: key) != nil else { return }
    noted.remove(key)
    forgotten.insert(key)
  }

  /// Notes how a file looks now.
  ///
  /// - returns: whether it looked otherwise at the last full scan of this process; false if it was
  ///   not looked at.
  mutating func hasChanged(
    _ key: FileKey, _ look: FileRecord.Look, of segment: ArchivedSegment
  ) -> Bool {
    let isOriginal = segment.joinedAt == nil && !segment.isReduced
    let seen = SeenFile(look: look, isOriginal: isOriginal)
    return looks.updateValue(seen, forKey: key).map { $0.look != look } ?? false
  }

  /// How a file looked at the last full scan of this process.
  func seen(_ key: FileKey) -> SeenFile? { looks[key] }

  /// Takes back that a file's look was noted: it counts as changed once more.
  mutating func restore(_ seen: SeenFile?, of key: FileKey) { looks[key] = seen }

  var seenCount: Int { looks.count }

  /// The originals in a directory that are not there any more, as far as their looks are kept.
  ///
  /// - parameter isPresent: asked of each file whose look is kept.
  func goneOriginals(
    in directory: [UInt8], _ isPresent: (FileKey) -> Bool
  ) -> [(key: FileKey, name: SegmentName)] {
    looks.compactMap { key, seen in
      guard seen.isOriginal, key.directory.elementsEqual(directory), !isPresent(key) else {
        return nil
      }
      return SegmentName(key.name).map { (key, $0) }
    }
  }

  /// Forgets how a file looked that nobody asks for again.
  mutating func forgetLook(of key: FileKey) { looks[key] = nil }

  /// Forgets files that are not there any more.
  mutating func forgetAbsent(from listing: FolderListing) {
    for key in listing.absent(of: Array(records.keys)) { forget(key) }
  }

  /// Takes over what a commit did.
  ///
  /// - returns: the files that had been set aside before.
  mutating func learn(
    _ part: ImportedPart, from files: [ImportPart.File]
  ) throws -> [FileKey] {
    // Not what the database says now: others may have changed it since.
    version = version.map { $0 + 1 }
    let applied = Set(part.applied)
    let known = Set(part.duplicates)
    var restored: [FileKey] = []
    for (queued, look) in files {
      let segment = queued.held
      let key = segment.file
      if applied.contains(key), records[key]?.reason.isSetAside == true { restored.append(key) }
      if let error = part.rejected[key] {
        note(FileRecord(rejecting: error, key: key, look: look))
      } else if let tried = part.waiting[key] {
        let isSuperseded = part.superseded.contains(key)
        // Behind a hole of which nobody knew when the part was put together, it waits like others.
        let isBehindHole = segment.range.first > self.applied(segment.range.stream) + 1
        noteWaiting(
          segment, look: look, tried: isBehindHole ? nil : tried,
          as: isSuperseded ? .duplicate : .waiting)
      } else if applied.contains(key) || known.contains(key) {
        learn(segment, look: look, isMisnamed: part.misnamed.contains(key))
      }
    }
    return restored
  }

  /// Takes over what was published, which nobody need read back.
  mutating func learn(_ published: [(name: ImportedNames.Name, hasOwnName: Bool)]) {
    version = version.map { $0 + published.count }
    for (name, hasOwnName) in published {
      names.applied[name.stream] = max(names.applied[name.stream] ?? 0, name.last)
      if hasOwnName { names.segments.insert(name) }
    }
  }

  private mutating func learn(
    _ segment: HeldSegment, look: FileRecord.Look, isMisnamed: Bool
  ) {
    let range = segment.range
    names.applied[range.stream] = max(names.applied[range.stream] ?? 0, range.last)
    guard !isMisnamed, let digest = segment.namedDigest else {
      note(FileRecord(key: segment.file, look: look, reason: .duplicate, detail: nil))
      return
    }
    forget(segment.file)
    names.segments.insert(
      ImportedNames.Name(
        stream: range.stream, first: range.first, last: range.last, digest: digest))
  }
}

extension FolderListing {
  /// Those of some files that are not there any more; of a directory that could not be listed,
  /// nobody knows, nor of any where `logs/` itself is not there.
  package func absent(of keys: [FileKey]) -> [FileKey] {
    guard !keys.isEmpty, !isMissing else { return [] }
    let present = Set(segments.map(\.key))
    let unknown = Set(unreadable.compactMap { $0.path.lastComponent?.bytes })
    return keys.filter { !present.contains($0) && !unknown.contains($0.directory) }
  }
}

extension FileRecord {
  /// Whether the file may be whole by now though it looks as it did.
  ///
  /// One that is filled in place can get its last bytes within the same tick of its file system's
  /// clock in which it was read: two seconds on FAT, a second over SFTP. Then neither its size nor
  /// its times tell. So it is read again at each look, until that is a tick later.
  var isUnsettled: Bool { isOfDamage && tried != nil }

  private var isOfDamage: Bool { reason == .damaged || reason == .incomplete }

  /// Longer than any file system's clock stands still, in milliseconds.
  private static let tick = 3000

  /// With when it was first found to be so, for as long as that is not beyond doubt.
  fileprivate func after(_ earlier: FileRecord?, now: Int64) -> FileRecord {
    guard isOfDamage else { return self }
    var since: Int? = Int(now)
    if let earlier, earlier.isOfDamage, earlier.look == look {
      since = earlier.tried.flatMap { (0..<Self.tick).contains(Int(now) &- $0) ? $0 : nil }
    }
    return FileRecord(
      key: key, look: look, reason: reason, detail: detail, range: range, tried: since)
  }
}
