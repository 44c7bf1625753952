import FileCoordination

// What there is in the world, whoever knows, and what must be so.
extension ArbiterWorld {
  func make(_ path: ItemPath) {
    lastItem += 1
    items[path] = lastItem
  }

  private func forEachShown(_ body: (CoordinationKey, inout Shown) -> Void) {
    for process in processes {
      for (key, shown) in process.presenters {
        var shown = shown
        body(key, &shown)
        process.presenters[key] = shown
      }
    }
  }

  func rename(_ old: ItemPath, to new: ItemPath) {
    lastMove = now
    var replaced: Set<Int> = []
    for (path, item) in items where path == new || new.contains(path) {
      replaced.insert(item)
      items[path] = nil
    }
    for (path, item) in items {
      guard let moved = path.moved(from: old, to: new) else { continue }
      items[path] = nil
      items[moved] = item
    }
    forget(replaced)
  }

  /// Whoever presents what is gone goes by the name that it had, and so by whatever comes there.
  private func forget(_ gone: Set<Int>) {
    forEachShown { _, shown in
      if let item = shown.item, gone.contains(item) { shown.item = nil }
    }
  }

  /// Whatever an access does with its items before it ends.
  func write(_ claim: Claim) -> [ItemOutcome] {
    claim.request.items.enumerated().map { index, item in
      let existed =
        claim.existed.indices.contains(index) ? claim.existed[index] : items[item.path] != nil
      guard item.writes else { return ItemOutcome(existedBefore: existed, existsAfter: existed) }
      if item.options.contains(.deletes), chance(50) {
        delete(item.path)
      } else {
        change(item.path, by: claim.request.presenter)
      }
      return ItemOutcome(existedBefore: existed, existsAfter: items[item.path] != nil)
    }
  }

  private func delete(_ path: ItemPath) {
    var gone: Set<Int> = []
    for (other, item) in items where other == path || path.contains(other) {
      gone.insert(item)
      items[other] = nil
    }
    forget(gone)
  }

  private func change(_ path: ItemPath, by own: CoordinationKey?) {
    if items[path] == nil { make(path) }
    forEachShown { key, shown in
      if key != own, shown.item == items[path] { shown.awaitsWord = true }
    }
  }

  // MARK: What presenters know

  /// Whether a move is on its way to the arbiter.
  private var isMoving: Bool {
    processes.contains { process in
      process.outbox.contains { if case .moved = $0 { true } else { false } }
    }
  }

  /// The arbiter hears of a presenter: from now on it is told what happens.
  func noteHeard(_ key: CoordinationKey, _ process: Process) {
    guard let shown = process.presenters[key], !shown.isNoted else { return }
    // What has the name while a move is on its way to the arbiter is told as moved, too.
    process.presenters[key]?.item = isMoving ? nil : items[shown.path]
    process.presenters[key]?.isNoted = true
  }

  func noteKnown(_ key: CoordinationKey, _ process: Process) {
    guard var shown = process.presenters[key] else { return }
    if shown.isKnownSince == nil { shown.isKnownSince = now }
    if shown.isReturning { (shown.awaitsWord, shown.isReturning) = (false, false) }
    process.presenters[key] = shown
  }

  func hear(_ notice: PresenterNotice, _ key: CoordinationKey, _ process: Process) {
    switch notice {
    case .didMove(let path):
      process.presenters[key]?.path = path
      count("moves told")
    case .didChange: process.presenters[key]?.awaitsWord = false
    case .reacquire(let claim): process.presenters[key]?.gaveWay.remove(claim)
    default: break
    }
  }

  /// Something is lost on the way: a move that somebody has not heard of may be among it.
  func loseMoves() {
    let places = Dictionary(uniqueKeysWithValues: items.map { ($1, $0) })
    forEachShown { _, shown in
      if let item = shown.item, places[item] != shown.path { shown.isLost = true }
    }
  }

  // MARK: What must be so

  /// No two accesses that exclude one another take place.
  func checkExclusion(of key: CoordinationKey) {
    let held = processes.flatMap { $0.held().map(\.value.request) }.filter { !$0.isBatch }
    guard let new = held.first(where: { $0.key == key }) else { return }
    for other in held where other.key != key && other.purpose != new.purpose {
      for item in new.items where other.items.contains(where: { $0.conflicts(with: item) }) {
        complaints.append("\(new.key) and \(other.key) are both in \(item.path.text)")
      }
    }
  }

  /// Whoever presents an item has answered before an access to it begins.
  func checkAllWereAsked(_ key: CoordinationKey, _ owner: Process) {
    guard let request = owner.claims[key]?.request, lastMove < request.since, !isMoving else {
      return
    }
    let batches = request.parents.filter { parent in
      processes.contains { $0.claims[parent]?.request.isBatch == true }
    }
    forEachShown { presenter, shown in
      guard presenter != request.presenter, let item = shown.item, items[shown.path] == item,
        let since = shown.isKnownSince, let granted = grantTimes[key], since < granted,
        request.items.contains(where: { $0.path == shown.path }),
        shown.answered.isDisjoint(with: [key] + batches)
      else { return }
      complaints.append("\(key) was let in, and \(presenter) of \(shown.path.text) not asked")
    }
  }

  /// When all is over, nothing is left, and all know what there is to know.
  func checkEnd(by report: CoordinationReport) {
    if !report.claims.isEmpty { complaints.append("claims are left: \(report.claims)") }
    if report.presenters.count != processes.reduce(0, { $0 + $1.presenters.count }) {
      complaints.append("other presenters are asked than there are")
    }
    for presenter in report.presenters where presenter.hasLapsed {
      complaints.append("a presenter of \(presenter.path ?? "") counts as silent for ever")
    }
    let places = Dictionary(uniqueKeysWithValues: items.map { ($1, $0) })
    forEachShown { key, shown in
      if !shown.gaveWay.isEmpty { complaints.append("\(key) stays away for \(shown.gaveWay)") }
      guard let item = shown.item, !shown.isLost else { return }
      if places[item] != shown.path {
        complaints.append("\(key) was not told that its item is not at \(shown.path.text)")
      }
      if shown.awaitsWord { complaints.append("\(key) was not told of a change") }
    }
  }
}
