import CanonicalJSON

// Whether counters and sets came to what their users were promised.
extension Judgement {
  func checkKinds() throws {
    for path in kindPaths.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      let kinds = promises.filter { $0.promise.editedKind == path }.map(\.promise.kind)
      if kinds.contains(where: { if case .increment = $0 { true } else { false } }) {
        try checkCounter(at: path)
      } else {
        try checkSet(at: path)
      }
    }
  }

  // MARK: Counters

  /// Every increment counts once, unless whoever had seen it wrote there anew: then what that wrote
  /// counts it.
  ///
  /// Judged where nothing was ever in conflict or deleted, at most one number was written there
  /// last, no counter was begun by somebody who had given something up: that may be a count which
  /// goes on beside, or is covered with the document; and nobody wrote there who had given an
  /// increment up and could not claim it: that counts, too. The model judges the rest.
  private func checkCounter(at path: [ByteString]) throws {
    guard outcome.conflictCount == 0,
      !promises.contains(where: { $0.promise.kind == .delete || $0.promise.wasDisputed }),
      !promises.contains(where: { $0.begins(path) && $0.promise.hasGivenUp })
    else { return }
    let others = promises.filter { other in
      other.promise.editedKind != path
        && (other.promise.before == nil
          || other.promise.before?.value(at: path) != other.promise.after?.value(at: path))
    }
    let starts = others.filter { start in
      start.promise.after?.value(at: path) != nil
        && !others.contains { $0.promise.number != start.promise.number && $0.hasSeen(start) }
    }
    guard starts.count <= 1 else { return }
    let increments = promises.filter { $0.promise.editedKind == path }
    guard !isDoubtful(increments, beside: others, at: path) else { return }
    var expected: Int64 = 0
    if let start = starts.first {
      guard case .integer(let number)? = start.promise.after?.value(at: path) else { return }
      expected = number
    }
    var isAny = !starts.isEmpty
    for increment in increments {
      guard case .increment(_, let amount) = increment.promise.kind,
        // What was not there, and only somebody whom the writer had seen knew, counts on, unless
        // the writer took away what that had led up to, and has to wait for it. So does what the
        // writer had given up and could not claim.
        !others.contains(where: { other in
          hasReached(other, increment, at: path)
            && (!other.hasGivenUp(increment) || other.claims(increment))
        }),
        !promises.contains(where: { $0.begins(path) && $0.hasSeen(increment) })
      else { continue }
      expected += amount
      isAny = true
    }
    let shown = outcome.shown?.value(at: path)
    guard shown == (isAny ? .integer(expected) : nil) else {
      throw Finding(
        "\(key.id): the counter at \(path.map { "/\($0)" }.joined()) is"
          + " \(shown?.canonical ?? "absent"), by what was counted \(isAny ? expected : 0)")
    }
  }

  /// Whether it cannot be told what is counted at a path.
  private func isDoubtful(
    _ increments: [JudgedPromise], beside others: [JudgedPromise], at path: [ByteString]
  ) -> Bool {
    // What is claimed and was given up goes with what is written at or above it, also where
    // nothing showed; and an object is written whole whose making was given up.
    let writers = promises.filter { $0.promise.editedKind != path }
    let mayBeCovered = writers.contains { other in
      increments.contains { increment in
        other.hasGivenUp(increment)
          && (other.claims(increment)
            ? other.promise.writesAbove(path) || other.promise.isWhole
              || other.promise.writesAround(path)
            : other.promise.before?.value(at: path) != other.promise.after?.value(at: path))
      }
    }
    let starts = others.filter { $0.promise.after?.value(at: path) != nil }
    return mayBeCovered
      || (increments + starts).contains { mayBeBack($0, beside: others, at: path) }
  }

  /// Whether all that took an edit away waited, and may have gone with a database that was put back
  /// before the removal could be published (protocol.md 7).
  private func mayBeBack(
    _ judged: JudgedPromise, beside others: [JudgedPromise], at path: [ByteString]
  ) -> Bool {
    let takers = others.filter {
      $0.promise.number != judged.promise.number && hasReached($0, judged, at: path)
    }
    return !takers.isEmpty
      && takers.allSatisfy { $0.mayLackRemovals && $0.promise.after?.value(at: path) == nil }
  }

  // MARK: Sets

  private func checkSet(at path: [ByteString]) throws {
    let shown = Set(outcome.shown?.value(at: path)?.elements ?? [])
    for judged in promises {
      switch judged.promise.kind {
      case .add(path, let elements):
        for element in elements where !shown.contains(element) {
          try checkAbsence(of: element, addedBy: judged, at: path)
        }
      case .remove(path, let elements) where !judged.isRevoked:
        for element in elements where shown.contains(element) {
          try checkPresence(of: element, removedBy: judged, at: path)
        }
      default: break
      }
    }
  }

  private func checkAbsence(
    of element: JSON, addedBy judged: JudgedPromise, at path: [ByteString]
  ) throws {
    guard outcome.conflictCount == 0 else { return }
    let isTakenAway = promises.contains { other in
      guard other.promise.number != judged.promise.number, hasReached(other, judged, at: path)
      else {
        return false
      }
      if case .remove(path, let removed) = other.promise.kind { return removed.contains(element) }
      // What comes late is covered by what was written around it without it, also by who began
      // something else there.
      if other.hasGivenUp(judged), other.claims(judged),
        other.promise.isWhole || other.promise.writesAround(path)
          || other.promise.writesAbove(path)
      {
        return true
      }
      if other.promise.editedKind == nil {
        return other.promise.touches(path)
          || other.hasSeen(judged) && other.promise.writesAbove(path)
      }
      // Who has given up what made the set finds none, and begins it anew; and who adds to what
      // shows beside another set writes it anew.
      if other.begins(path), other.promise.hasGivenUp { return true }
      if writesWhole(other, whatWasAddedBy: judged, at: path) { return true }
      // So does who adds to one where nothing shows for what is in conflict.
      let shown = other.promise.before?.value(at: path)?.elements ?? []
      if other.promise.editedKind == path, other.promise.wasDisputed, !shown.contains(element) {
        return true
      }
      return other.promise.editedKind != path && mayWriteAll(other)
    }
    guard isTakenAway else {
      throw Finding(
        "\(key.id): \(element.canonical) that device \(judged.promise.device) added is lost")
    }
  }

  /// Whether an edit of a set wrote all of it that showed, since what made it was given up: whoever
  /// has not seen a set made makes it, and covers what comes late (protocol.md 6, 11).
  private func writesWhole(
    _ other: JudgedPromise, whatWasAddedBy judged: JudgedPromise, at path: [ByteString]
  ) -> Bool {
    guard other.promise.editedKind == path, other.hasGivenUp(judged), other.claims(judged) else {
      return false
    }
    let makers = promises.filter {
      $0.promise.before?.value(at: path) == nil && $0.promise.after?.value(at: path) != nil
    }
    return makers.contains { other.hasGivenUp($0) }
      && !makers.contains { other.hasSeen($0) && !other.hasGivenUp($0) }
  }

  /// Whether an edit of one place may have written all anew that showed: so it does where nothing
  /// did, or a deletion stands beside an edit (protocol.md 13).
  func mayWriteAll(_ judged: JudgedPromise) -> Bool {
    judged.promise.before == nil
      || judged.promise.wasDisputed && promises.contains { $0.promise.kind == .delete }
  }

  private func checkPresence(
    of element: JSON, removedBy judged: JudgedPromise, at path: [ByteString]
  ) throws {
    let isAddedBeside = promises.contains { other in
      other.promise.number != judged.promise.number && !judged.hasSeen(other)
        && other.promise.after?.value(at: path)?.elements?.contains(element) == true
    }
    // Who wrote the document anew had not seen the removal, nor had who forgot what it took away.
    let isRevived =
      judged.forgotten.holds(path)
      && outcome.revived.contains { $0.starts(with: path) }
    guard isAddedBeside || isRevived else {
      throw Finding(
        "\(key.id): \(element.canonical) is back, which device \(judged.promise.device) removed")
    }
  }
}

extension JudgedPromise {
  /// Whether it made the counter or set at a path, where its author saw none.
  fileprivate func begins(_ path: [ByteString]) -> Bool {
    promise.editedKind == path && promise.before?.value(at: path) == nil
  }
}
