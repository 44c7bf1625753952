import CanonicalJSON
import ReferenceModel
import Replication

// MARK: - After every step

extension History {
  /// Compares a device's states of `documents`, and its frontier, with the model.
  func check(_ device: Int, _ documents: Set<DocumentKey>) throws {
    for key in documents {
      do {
        try compare(devices[device].state(of: key), with: model(of: key, on: device))
      } catch let problem as Failure {
        throw failure("device \(device), document \(key.id): \(problem.message)")
      }
    }
    try checkFrontier(of: device)
  }

  func model(of key: DocumentKey, on device: Int) -> PlainModel {
    let waiting = devices[device].state(of: key).pending.map { removal in
      PlainModel.Waiting(
        path: removal.path.keys, isDelete: removal.kind == .delete,
        seen: Seen(devices.map { Int(removal.seen.sequence(of: $0.stream)) }))
    }
    return PlainModel(
      operations: operations[key, default: []].filter { operation in
        delivered[device][operation.dot.author] >= operation.dot.sequence
      },
      waiting: waiting)
  }

  private func compare(_ state: DocumentState, with model: PlainModel) throws {
    let view = state.view()
    let shown = model.shown()
    guard view.body == shown.body?.canonicalBytes() else {
      throw failure(
        "shows \(view.json?.canonical ?? "nothing"), by the model "
          + (shown.body?.canonical ?? "nothing"))
    }
    guard view.conflictCount == shown.conflictCount else {
      throw failure("\(view.conflictCount) conflicts, by the model \(shown.conflictCount)")
    }
    try compare(state.conflicts(), with: view)
    let summary = state.summary()
    guard summary == (view.isVisible, view.conflictCount) else {
      throw failure("the summary \(summary) is not that of the view")
    }
    // What a write hides whose context has not wholly arrived is still there.
    let kept = state.uncovered.map { state.entries[$0].modelDot }
    guard Set(kept) == Set(model.kept.map(\.dot)), kept.count == model.kept.count
    else { throw failure("keeps other operations than the model") }
  }

  /// The conflicts by name against their number, and what they say shows against what does.
  private func compare(_ conflicts: [DocumentConflict], with view: DocumentView) throws {
    guard conflicts.count == view.conflictCount else {
      throw failure("\(conflicts.count) conflicts are listed, of \(view.conflictCount)")
    }
    for conflict in conflicts {
      let shown = view.json?.member(at: conflict.path.keys[...])
      guard conflict.values.first?.content == shown?.canonicalBytes() else {
        throw failure("the conflict at '\(conflict.path)' does not begin with what shows")
      }
      // A number and a counter of it look alike, and so do counters that have counted different
      // things; different values of another kind do not.
      let isCounter = conflict.values.allSatisfy { $0.kinds[conflict.path] == .counter }
      let isAlike = conflict.kind != .value || isCounter
      let count = isAlike ? 2 : Set(conflict.values.map(\.content)).count
      guard conflict.values.count > 1, count > 1 else {
        throw failure("nothing lost in the conflict at '\(conflict.path)'")
      }
    }
  }

  /// The closed part against the greatest vector found from above.
  private func checkFrontier(of device: Int) throws {
    let frontier = devices[device].frontier
    let applied = devices.map { Int(frontier.applied.sequence(of: $0.stream)) }
    guard applied == delivered[device] else {
      throw failure("device \(device) has applied \(applied), not \(delivered[device])")
    }
    var closed = delivered[device]
    var isSinking = true
    while isSinking {
      isSinking = false
      for author in devices.indices {
        let first = devices[author].written.prefix(closed[author]).firstIndex { transaction in
          devices.indices.contains { closed[$0] < Int(transaction.seen(of: $0)) }
            || transaction.operations.contains {
              $0.kind.carriesValue
                && delivered[device][Int($0.insert.stream.rawValue) - 1] < Int($0.insert.sequence)
            } || !devices[device].understands(transaction.operations)
        }
        guard let first else { continue }
        closed[author] = first
        isSinking = true
      }
    }
    let claimed = devices.map { Int(frontier.closed.sequence(of: $0.stream)) }
    guard claimed == closed else {
      throw failure("device \(device) takes \(claimed) for closed, by definition \(closed)")
    }
  }

  /// A context claims what its author had, with the right fingerprints, and is closed (rule 4).
  func checkClaim(of transaction: SimulatedDevice.Sent, by device: Int) throws {
    for entry in transaction.header.context.entries {
      let author = Int(entry.stream.rawValue) - 1
      guard Int(entry.sequence) <= delivered[device][author] else {
        throw failure("a context claims \(author):\(entry.sequence), which has not arrived")
      }
      let seen = devices[author].written.prefix(Int(entry.sequence))
      guard seen.last?.header.fingerprint == entry.fingerprint else {
        throw failure("a context names another \(author):\(entry.sequence)")
      }
      let context = transaction.header.context
      for earlier in seen where !context.hasReached(earlier.header.context) {
        throw failure(
          "the context of a new transaction by \(device) is not closed: it has seen "
            + "\(author):\(earlier.header.sequence) and not what that had seen")
      }
    }
    let seen = Int(transaction.seen(of: device))
    guard seen <= delivered[device][device] else {
      throw failure("a context has seen more of its own stream than there is")
    }
  }
}

// MARK: - At the end

extension History {
  /// Everything has arrived everywhere.
  func checkAgreement() throws {
    for device in devices.indices {
      guard !devices[device].hasWaiting else {
        throw failure("device \(device) still has removals that wait")
      }
      guard devices[device].frontier.closed == devices[device].frontier.applied else {
        throw failure("device \(device) has not closed everything")
      }
    }
    for key in keys {
      // All have the same operations now, so one model does for all.
      let model = model(of: key, on: 0)
      let first = devices[0].state(of: key)
      for device in devices {
        try compare(device.state(of: key), with: model)
        let state = device.state(of: key)
        let isSame = state.uncovered.elementsEqual(first.uncovered) {
          let (one, other) = (state.entries[$0], first.entries[$1])
          return one.stamp == other.stamp && one.effect == other.effect
        }
        guard isSame else { throw failure("the devices keep different operations") }
      }
      try checkNothingIsLost(key, in: first.view())
    }
  }

  /// Every value shows, or its successor's author had seen it, or it is listed.
  private func checkNothingIsLost(_ key: DocumentKey, in view: DocumentView) throws {
    let all = operations[key, default: []]
    for value in all where value.isValue && !value.isNewer {
      if view.conflictCount > 0 || value.shows(in: view.json) { continue }
      let isTakenAway = all.contains { other in
        other.dot != value.dot && (other.isDelete ? other.hasSeen(value) : other.covers(value))
      }
      guard isTakenAway else {
        throw failure("document \(key.id): the value of \(value.dot) is lost")
      }
    }
  }
}

extension PlainModel.Operation {
  /// Whether a document shows what it wrote.
  func shows(in body: JSON?) -> Bool {
    let shown = body?.value(at: path)
    switch kind {
    case .set(let scalar): return shown == scalar
    case .clear: return shown?.isObject == true
    case .increment, .start: return shown.flatMap { CounterAmount.integer(in: $0) } != nil
    case .emptySet: return shown?.elements != nil
    case .add:
      let elements = body?.value(at: Array(path.dropLast()))?.elements ?? []
      return elements.contains { $0.canonicalBytes() == path.last?.bytes }
    case .remove, .delete, .newer: return true
    }
  }
}

extension Context {
  /// By sequence: there are no forks here.
  fileprivate func hasReached(_ other: Context) -> Bool {
    other.entries.allSatisfy { contains(stream: $0.stream, sequence: $0.sequence) }
  }
}

extension SimulatedDevice.Sent {
  fileprivate func seen(of author: Int) -> UInt64 {
    header.context.sequence(of: SimulatedDevice.stream(of: author))
  }
}

extension DocumentState.Entry {
  fileprivate var modelDot: PlainModel.Dot {
    PlainModel.Dot(
      author: Int(stamp.dot.stream.rawValue) - 1, sequence: Int(stamp.dot.sequence),
      index: Int(stamp.dot.index))
  }
}

extension JSON {
  fileprivate func member(at keys: ArraySlice<ByteString>) -> JSON? {
    guard let key = keys.first else { return self }
    guard case .object(let object) = self else { return nil }
    return object[key]?.member(at: keys.dropFirst())
  }
}
