import FileCoordination

// What processes do.
extension ArbiterWorld {
  func claim(_ process: Process, answering question: Question? = nil) {
    let kinds: [ClaimedItem.Options] = [[], .writes, [.writes, .deletes], [.writes, .moves]]
    let items = (0...random.below(2)).map { _ in
      let path = paths[random.below(paths.count - 1)]
      var options = kinds[random.below(kinds.count)]
      if path == paths[2] { options.insert(.isDirectory) }
      return ClaimedItem(path, options)
    }
    // Inside of an accessor, sometimes; then in whatever order they please. Or as one that another
    // process's accessor has started. Either names all accessors that it is in.
    let outer = chance(10) ? processes[random.below(processes.count)] : process
    let parents: [CoordinationKey] =
      chance(60) ? outer.held().prefix(1).flatMap { [$0] + $1.request.parents } : []
    let key = nextKey(process)
    let batch = parents.first.flatMap { process.claims[$0]?.request }.flatMap {
      $0.isBatch ? $0 : nil
    }
    let request = ClaimRequest(
      key: key, purpose: batch?.purpose ?? (chance(20) ? "shared" : "\(key.number)"),
      presenter: presenter(of: process, answering: question), items: items,
      isBatch: batch == nil && question == nil && chance(10), parents: parents,
      answering: question.map { [$0.claim] } ?? [], since: now,
      deadline: chance(10) ? now + .milliseconds(random.below(200)) : nil,
      patience: chance(isCalm ? 0 : 20)
        ? .milliseconds(random.below(100)) : .seconds(1_000_000))
    process.claims[key] = Claim(request: request, answers: question)
    process.outbox.append(.claim(request, isHeld: false))
    let isInherited = !parents.isEmpty && outer !== process
    count(
      parents.isEmpty
        ? request.isBatch ? "batches" : "claims"
        : isInherited ? "inherited claims" : "nested claims")
  }

  /// On whose behalf something is claimed.
  private func presenter(of process: Process, answering question: Question?) -> CoordinationKey? {
    // Whether it says on whose behalf it answers, as it should.
    if let question { return chance(50) ? question.presenter : nil }
    return chance(20) ? process.presenters.keys.min { $0.number < $1.number } : nil
  }

  func present(_ process: Process) {
    let key = nextKey(process)
    let path = paths[random.below(paths.count - 1)]
    process.presenters[key] = Shown(path: path)
    process.outbox.append(.present(PresenterRecord(key: key, path: path), gaveWayTo: []))
  }

  func unpresent(_ process: Process) {
    guard let key = process.presenters.keys.min(by: { $0.number < $1.number }) else { return }
    process.presenters[key] = nil
    process.questions.removeAll { $0.presenter == key }
    process.outbox.append(.unpresent(key))
  }

  func answerOne(_ process: Process) {
    guard !process.questions.isEmpty else { return }
    let question = process.questions.removeFirst()
    if chance(20) {
      count("claims in answer")
      return claim(process, answering: question)
    }
    answer(question, process)
  }

  func answer(_ question: Question, _ process: Process) {
    process.presenters[question.presenter]?.gaveWay.insert(question.claim)
    process.presenters[question.presenter]?.answered.insert(question.claim)
    process.outbox.append(
      .answer(claim: question.claim, presenter: question.presenter, failure: nil))
  }

  func releaseOne(_ process: Process) {
    let free = process.held().map(\.key).filter { key in
      !processes.contains { process in
        process.claims.values.contains { $0.request.parents.contains(key) }
      }
    }
    guard !free.isEmpty else { return }
    let key = free[random.below(free.count)]
    guard let claim = process.claims[key] else { return }
    let outcomes = claim.request.isBatch ? [] : write(claim)
    process.outbox.append(.release(key, Array(outcomes.prefix(claim.existed.count))))
    end(key, process)
  }

  func cancelOne(_ process: Process) {
    let waiting = process.claims.filter { !$0.value.isHeld }.keys.sorted { $0.number < $1.number }
    guard let key = waiting.first else { return }
    process.outbox.append(.cancel(key))
    end(key, process)
  }

  func end(_ key: CoordinationKey, _ process: Process) {
    let claim = process.claims.removeValue(forKey: key)
    if let question = claim?.answers { answer(question, process) }
  }

  // MARK: Moves

  /// Renames what it has claimed, to a name that it has claimed, too, or that nobody has.
  func moveOne(_ process: Process) {
    guard process.isConnected else { return }
    for (key, claim) in process.held() where !claim.request.isBatch {
      let movable = claim.request.items.filter { mayMove($0) && items[$0.path] != nil }
      guard let item = movable.first else { continue }
      var targets = claim.request.items.filter(\.writes).map(\.path)
      let isFree = chance(30)
      if isFree {
        // Who claims the new name before the move is heard of comes in beside it.
        deliverAll(of: process)
        guard process.claims[key] != nil, items[item.path] != nil else { continue }
        targets = paths.filter { !isUsed($0, beside: claim.request, as: item.options) }
      }
      targets = targets.filter { mayMove(item, to: $0) }
      guard !targets.isEmpty else { continue }
      move(item, to: targets[random.below(targets.count)], by: claim.request, process)
      if isFree { while !process.outbox.isEmpty { sendOne(process) } }
      return count(isFree ? "moves to free names" : "moves")
    }
  }

  private func move(
    _ item: ClaimedItem, to new: ItemPath, by request: ClaimRequest, _ process: Process
  ) {
    process.outbox.append(.moved(claim: request.key, from: item.path, to: new))
    let moved = ClaimedItem(new, item.options)
    if !request.items.contains(moved) { process.claims[request.key]?.request.items.append(moved) }
    rename(item.path, to: new)
    if let own = request.presenter,
      let path = process.presenters[own]?.path.moved(from: item.path, to: new)
    {
      process.presenters[own]?.path = path
    }
  }

  private func mayMove(_ item: ClaimedItem) -> Bool {
    item.options.contains(.moves) && item.path == item.unit
      && (item.takesContentsAlong || !items.keys.contains { item.path.contains($0) })
  }

  private func mayMove(_ item: ClaimedItem, to new: ItemPath) -> Bool {
    new != item.path && new == new.unit && !item.path.contains(new) && !new.contains(item.path)
  }

  private func isUsed(
    _ path: ItemPath, beside request: ClaimRequest, as options: ClaimedItem.Options
  ) -> Bool {
    let item = ClaimedItem(path, options)
    return processes.contains { process in
      process.held().contains { _, claim in
        claim.request.purpose != request.purpose
          && claim.request.items.contains { $0.conflicts(with: item) }
      }
    }
  }
}
