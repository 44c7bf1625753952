import CanonicalJSON

/// Decides which keys a follower is told of, and why.
///
/// It knows what its program knows: what stood there when following began, what was told since, and
/// what the program wrote itself. A value that differs from that is told, whoever wrote it.
package struct KeyValueFollower: Sendable {
  /// What tells the value of each key from others.
  private var known: [ByteString: Int]
  /// The number of the last of the program's writes that is taken in.
  package private(set) var lastWrite: Int
  /// Whether nothing of another device had been imported yet.
  private var isInitial: Bool

  package init(known: [ByteString: Int], lastWrite: Int, isInitial: Bool) {
    self.known = known
    self.lastWrite = lastWrite
    self.isInitial = isInitial
  }

  /// All keys that the program knows, in the order of their bytes.
  var keys: [String] { known.keys.sorted().map(\.description) }

  /// The program has written.
  ///
  /// - parameter keys: What may have changed with that; nil for anything.
  /// - returns: What of it the write does not account for: it may tell of a branch, and then others
  ///   may show something else, too.
  @discardableResult
  package mutating func wrote(
    _ write: OwnWrite, changing keys: Set<ByteString>? = []
  ) -> Set<ByteString>? {
    for (key, digest) in write.values { known[key] = digest }
    lastWrite = max(lastWrite, write.number)
    return keys?.subtracting(write.values.keys)
  }

  /// Somebody else has written.
  ///
  /// - parameters:
  ///   - keys: What may have changed; nil for anything.
  ///   - now: What tells the values of those keys apart now.
  ///   - own: The program's writes behind ``lastWrite``: `now` may be later than the change, and
  ///     have some of them.
  ///   - isImport: Whether it came from another device.
  /// - returns: What to tell; nil if the program knows it all.
  package mutating func changed(
    _ keys: Set<ByteString>?, now: [ByteString: Int], own: [OwnWrite], isImport: Bool
  ) -> KeyValueChange? {
    let candidates = keys ?? Set(known.keys).union(now.keys)
    let others = candidates.filter { known[$0] != now[$0] }
    for key in others { known[key] = now[key] }
    // Any of the own ones, not just the last: that may be one which `now` does not have yet.
    let changed = others.filter { key in
      !own.contains { $0.values[key] == .some(now[key]) }
    }.sorted()
    guard !changed.isEmpty else { return nil }
    let reason: KeyValueChange.Reason = isImport && isInitial ? .initialSyncChange : .serverChange
    if isImport { isInitial = false }
    return KeyValueChange(reason: reason, keys: changed.map(\.description))
  }
}
