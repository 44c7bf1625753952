import CanonicalJSON
import ReferenceModel
import Replication

extension ForkHistory {
  func failure(_ message: String) -> History.Failure { History.Failure(message: message) }

  /// Compares a device's states with the model, as far as it can know.
  mutating func check(_ device: Int, _ documents: Set<DocumentKey>) throws {
    for key in documents {
      do {
        try compare(device, key)
      } catch let problem as History.Failure {
        throw failure("device \(device), document \(key.id): \(problem.message)")
      }
    }
    let closed = vector(of: devices[device].core.frontier.closed)
    devices[device].closed = ownClosed(of: device)
    let expected = withClaims(devices[device].closed)
    devices[device].claimed = expected
    guard closed == expected else {
      throw failure("device \(device) takes \(closed) for closed, by definition \(expected)")
    }
  }

  func model(of key: DocumentKey, on device: Int) -> PlainModel {
    let delivered = devices[device].delivered
    return PlainModel(
      operations: operations[key, default: []].filter {
        delivered[$0.dot.author] >= $0.dot.sequence
      },
      waiting: devices[device].core.state(of: key).pending.map { removal in
        PlainModel.Waiting(
          path: removal.path.keys, isDelete: removal.kind == .delete,
          seen: Seen(vector(of: removal.seen)))
      }, ends: ends(on: device))
  }

  /// How far any branch of each stream is there.
  private func ends(on device: Int) -> [UInt128: UInt64] {
    authors.indices.reduce(into: [:]) { ends, author in
      let written = authors[author].written.prefix(devices[device].delivered[author])
      guard let last = written.last?.header.sequence else { return }
      let stream = authors[author].stream.rawValue
      ends[stream] = max(ends[stream] ?? 0, last)
    }
  }

  private func compare(_ device: Int, _ key: DocumentKey) throws {
    let state = devices[device].core.state(of: key)
    let model = model(of: key, on: device)
    let kept = Set(state.entries.map { dot(of: $0) })
    guard kept.isSuperset(of: model.kept.map(\.dot)) else {
      throw failure("has forgotten what no write covers")
    }
    guard state.conflicts().count == state.view().conflictCount else {
      throw failure(
        "\(state.conflicts().count) conflicts listed, of \(state.view().conflictCount)")
    }
    // As long as somebody named what is not here, nobody can know what the model knows.
    guard !state.isProvisional else { return }
    let shown = model.shown()
    let view = state.view()
    guard view.body == shown.body?.canonicalBytes() else {
      throw failure(
        "shows \(view.json?.canonical ?? "nothing"), by the model "
          + (shown.body?.canonical ?? "nothing"))
    }
    guard view.conflictCount == shown.conflictCount else {
      throw failure("\(view.conflictCount) conflicts, by the model \(shown.conflictCount)")
    }
    guard Set(state.uncovered.map { dot(of: state.entries[$0]) }) == Set(model.kept.map(\.dot))
    else { throw failure("keeps other operations than the model") }
  }

  private func dot(of entry: DocumentState.Entry) -> PlainModel.Dot {
    let stamp = entry.stamp
    let place = places[
      Context.Entry(
        stream: stamp.dot.stream, sequence: stamp.dot.sequence, fingerprint: stamp.fingerprint)]
    return PlainModel.Dot(
      author: place?.author ?? -1, sequence: place?.count ?? 0, index: Int(stamp.dot.index))
  }

  /// The greatest vector of what has arrived all of whose own contexts have, or are given up.
  ///
  /// What was closed stays so, since it may have been claimed: whatever comes now of what was given
  /// up, or of another branch beside it.
  private func ownClosed(of device: Int) -> [Int] {
    let former = devices[device].closed
    var closed = devices[device].delivered
    var isSinking = true
    while isSinking {
      isSinking = false
      for author in authors.indices where closed[author] > former[author] {
        let end = max(former[author], closedCount(of: author, closed, on: device))
        guard end < closed[author] else { continue }
        closed[author] = end
        isSinking = true
      }
    }
    return closed
  }

  /// How many of an author's transactions `closed` leaves closed.
  private func closedCount(of author: Int, _ closed: [Int], on device: Int) -> Int {
    if let origin = authors[author].origin, closed[origin.author] < origin.count { return 0 }
    let written = authors[author].written.prefix(closed[author])
    let (ends, givenUp) = (ends(on: device), devices[device].givenUp)
    let core = devices[device].core
    return written.firstIndex { sent in
      !core.understands(sent.operations)
        || !sent.header.context.entries.allSatisfy { isClosed($0, closed, on: device) }
        || sent.operations.contains { operation in
          let (stream, sequence) = (operation.insert.stream, operation.insert.sequence)
          return operation.kind.carriesValue && ends[stream.rawValue] ?? 0 < sequence
            && givenUp[stream] ?? 0 < sequence
        }
    } ?? closed[author]
  }

  /// With what the authors of all that had seen.
  private func withClaims(_ closed: [Int]) -> [Int] {
    authors.indices.reduce(into: closed) { all, author in
      for sent in authors[author].written.prefix(closed[author]) {
        all = zip(all, vector(of: sent.header.context)).map { max($0, $1) }
      }
    }
  }

  private func isClosed(_ entry: Context.Entry, _ closed: [Int], on device: Int) -> Bool {
    guard let (author, count) = places[entry] else { return false }
    // What was claimed given up stays so, though it has come by now, and is open.
    if devices[device].claimed[author] >= count { return true }
    let delivered = devices[device].delivered
    guard delivered[author] < count else { return closed[author] >= count }
    guard devices[device].givenUp[entry.stream] ?? 0 >= entry.sequence else { return false }
    return authors.indices.allSatisfy { author in
      guard authors[author].stream == entry.stream, closed[author] < delivered[author] else {
        return true
      }
      return authors[author].written[closed[author]].header.sequence > entry.sequence
    }
  }

  /// Rule 4: a claim is closed, and of what has arrived, or is given up (6).
  func checkClaim(_ seen: [Int], by device: Int) throws {
    for author in authors.indices where seen[author] > 0 {
      let last = authors[author].written[seen[author] - 1].header
      let isGivenUp = devices[device].givenUp[last.stream] ?? 0 >= last.sequence
      guard seen[author] <= devices[device].delivered[author] || isGivenUp else {
        throw failure("a context claims \(author):\(seen[author]), which has not arrived")
      }
      for earlier in authors[author].written.prefix(seen[author]) {
        let known = vector(of: earlier.header.context)
        guard !authors.indices.contains(where: { seen[$0] < known[$0] }) else {
          throw failure("the context of a new transaction by device \(device) is not closed")
        }
      }
    }
  }

  /// Everything that there is has arrived everywhere.
  ///
  /// A removal whose author saw what is lost hides on its device what it was for (protocol.md 7):
  /// until its user gives up what is lost, those documents differ.
  func checkAgreement() throws {
    for key in keys {
      if devices.contains(where: { !$0.core.state(of: key).pending.isEmpty }) { continue }
      let views = devices.map { $0.core.state(of: key).view() }
      for (device, view) in views.enumerated() {
        guard view.body == views[0].body, view.conflictCount == views[0].conflictCount else {
          throw failure("devices 0 and \(device) show different things of document \(key.id)")
        }
        try compare(device, key)
      }
      try checkNothingIsLost(key, in: views[0])
    }
    guard !losesTails else { return }
    for device in devices.indices where devices[device].core.hasWaiting {
      throw failure("device \(device) still has removals that wait")
    }
  }

  /// Every value shows, or its successor's author had seen it, or it is listed.
  private func checkNothingIsLost(_ key: DocumentKey, in view: DocumentView) throws {
    guard view.conflictCount == 0 else { return }
    let delivered = devices[0].delivered
    let all = operations[key, default: []].filter { delivered[$0.dot.author] >= $0.dot.sequence }
    for value in all where value.isValue && !value.isNewer {
      if value.shows(in: view.json) { continue }
      let isTakenAway = all.contains { other in
        other.dot != value.dot && (other.isDelete ? other.hasSeen(value) : other.covers(value))
          || mayHide(other, value)
      }
      guard isTakenAway else {
        throw failure("document \(key.id): the value of \(value.dot) is lost")
      }
    }
  }

  /// Rule 26: whether a write's author named a transaction that has not arrived, of the value's
  /// stream and from there on, and nothing that has arrived tells that it is of another branch: so
  /// that for all that anybody here knows it had seen the value.
  private func mayHide(_ write: PlainModel.Operation, _ value: PlainModel.Operation) -> Bool {
    guard value.path.starts(with: write.path), !isKnownToBranch(value.stream) else { return false }
    let header = authors[write.dot.author].written[write.dot.sequence - 1].header
    let stream = StreamID(rawValue: value.stream)
    return header.context.entries(of: stream).contains { entry in
      guard entry.sequence >= value.sequence, let place = places[entry] else { return false }
      return devices[0].delivered[place.author] < place.count
        && arrived(of: stream).allSatisfy { $0.sequence < entry.sequence }
    }
  }

  /// Whether two transactions of one sequence of a stream have arrived, or one that is another than
  /// somebody has seen.
  private func isKnownToBranch(_ stream: UInt128) -> Bool {
    let stream = StreamID(rawValue: stream)
    let arrived = arrived(of: stream).map(\.tip)
    let sequences = Set(arrived.map(\.sequence))
    return sequences.count < arrived.count
      || Set(authors.map(\.stream)).flatMap { self.arrived(of: $0) }.contains { header in
        header.context.entries(of: stream).contains { entry in
          sequences.contains(entry.sequence) && !arrived.contains(entry)
        }
      }
  }

  /// What everybody has of a stream.
  private func arrived(of stream: StreamID) -> [Transaction.Header] {
    authors.indices.filter { authors[$0].stream == stream }.flatMap { author in
      authors[author].written.prefix(devices[0].delivered[author]).map(\.header)
    }
  }
}
