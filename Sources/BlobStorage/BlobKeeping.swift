import CanonicalJSON

/// Decides which of a device's own copies may go (protocol.md 30).
///
/// A copy goes once nothing has referred to it for a grace: until then somebody may undo what took
/// the last reference away. Since when nothing does is noted beside the copies; who loses the notes
/// begins to count anew, which keeps more.
package struct BlobKeeping: Hashable, Sendable {
  /// Since when nothing refers to a copy, in milliseconds since 1970.
  package private(set) var unused: [BlobHash: Int64] = [:]
  /// Those that may go now, sorted.
  package private(set) var due: [BlobHash] = []

  /// - parameters:
  ///   - own: the device's copies.
  ///   - needed: what operations refer to.
  ///   - noted: since when copies were unused, as noted before.
  ///   - now: in milliseconds since 1970.
  ///   - grace: in milliseconds.
  package init(
    own: Set<BlobHash>, needed: Set<BlobHash>, noted: [BlobHash: Int64], now: Int64, grace: Int64
  ) {
    for hash in own.subtracting(needed) {
      // A clock that was ahead has been put right: what is not yet will not come for long.
      let since = min(noted[hash] ?? now, now)
      unused[hash] = since
      let (age, overflow) = now.subtractingReportingOverflow(since)
      if !overflow, age >= grace { due.append(hash) }
    }
    due.sort()
  }

  /// Lets those stay that are unused since later than a moment; all if it is nil.
  package mutating func keep(since moment: Int64?) {
    due.removeAll { hash in moment.map { (unused[hash] ?? .max) > $0 } ?? true }
  }

  /// Has those begin anew that are due by a note from before they were there: whatever wrote it,
  /// it is not about them.
  ///
  /// - parameters:
  ///   - now: in milliseconds since 1970.
  ///   - arrival: since when a copy is there, in milliseconds since 1970; nil if that is not known.
  package mutating func beginAnew(now: Int64, before arrival: (BlobHash) -> Int64?) {
    let late = due.filter { hash in
      guard let since = unused[hash], let arrival = arrival(hash) else { return false }
      // One from the future tells of a clock that was ahead, and would have it stay for ever.
      return since < arrival && arrival <= now
    }
    guard !late.isEmpty else { return }
    for hash in late { unused[hash] = now }
    due.removeAll(where: Set(late).contains)
  }

  /// Has those that are due begin anew which something has referred to since they were noted.
  ///
  /// - parameter now: in milliseconds since 1970.
  package mutating func beginAnew(now: Int64, mentioned: Set<BlobHash>) {
    for hash in due where mentioned.contains(hash) { unused[hash] = now }
    due.removeAll(where: mentioned.contains)
  }

  /// Forgets since when a copy was unused that is gone; what was decided of it stays as it was.
  package mutating func forget(_ hash: BlobHash) {
    unused[hash] = nil
  }
}

/// The notes of ``BlobKeeping``, as a JSON object of hashes and milliseconds.
package enum UnusedNotes {
  /// The file beside a device's copies; never synced, as its name says.
  package static let name = "unused.nosync"
  /// A larger file is none of these.
  package static let maximumBytes = 16 << 20
  /// How many there may be, with the longest of times: a hash and a number, with what is around.
  static let maximumCount = maximumBytes / (BlobHash.digitCount + 24)

  /// Where there are too many, those that go first: the others get their turn once these are gone,
  /// while of a file that cannot be read none would ever go.
  package static func encode(_ unused: [BlobHash: Int64]) -> [UInt8] {
    var notes = Array(unused)
    if notes.count > maximumCount {
      notes.sort { ($0.value, $0.key) < ($1.value, $1.key) }
      notes.removeSubrange(maximumCount...)
    }
    let members = notes.map { (ByteString($0.key.text), JSON.integer($0.value)) }
    return JSON.object(JSONObject(members) ?? [:]).canonicalBytes()
  }

  /// What can be read; whatever else stands there is as good as no note, which only keeps the copy
  /// for longer.
  package static func decode(_ bytes: [UInt8]) -> [BlobHash: Int64] {
    guard case .object(let object)? = try? JSON(parsing: bytes) else { return [:] }
    var unused: [BlobHash: Int64] = [:]
    for member in object.members {
      guard let hash = BlobHash(member.key.description), case .integer(let since) = member.value,
        since > 0
      else { continue }
      unused[hash] = since
    }
    return unused
  }
}
