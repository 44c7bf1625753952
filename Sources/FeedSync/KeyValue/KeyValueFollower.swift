import CanonicalJSON

/// Decides which keys a follower is told of, and why.
///
/// It knows what its program knows: what stood there when following began, what was told since, and
/// what the program wrote itself. A value that differs from that is told, whoever wrote it.
struct KeyValueFollower {
  /// What tells the value of each key from others.
  private(set) var known: [ByteString: Int]
  /// Whether nothing of another device had been imported yet.
  private var isInitial: Bool

  init(known: [ByteString: Int], isInitial: Bool) {
    self.known = known
    self.isInitial = isInitial
  }

  /// All keys that the program knows, in the order of their bytes.
  var keys: [String] { known.keys.sorted().map(\.description) }

  /// The program has written these.
  mutating func wrote(_ values: [ByteString: Int?]) {
    for (key, digest) in values { known[key] = digest }
  }

  /// Somebody else has written.
  ///
  /// - parameters:
  ///   - keys: What may have changed; nil for anything.
  ///   - now: What tells the values of those keys apart now.
  ///   - isImport: Whether it came from another device.
  /// - returns: What to tell; nil if the program knows it all.
  mutating func changed(
    _ keys: Set<ByteString>?, now: [ByteString: Int], isImport: Bool
  ) -> KeyValueChange? {
    let candidates = keys ?? Set(known.keys).union(now.keys)
    let changed = candidates.filter { known[$0] != now[$0] }.sorted()
    for key in changed { known[key] = now[key] }
    guard !changed.isEmpty else { return nil }
    let reason: KeyValueChange.Reason = isImport && isInitial ? .initialSyncChange : .serverChange
    if isImport { isInitial = false }
    return KeyValueChange(reason: reason, keys: changed.map(\.description))
  }
}
