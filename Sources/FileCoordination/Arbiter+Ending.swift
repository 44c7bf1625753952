// How claims end.
extension Arbiter {
  /// Takes a claim that was not granted out of the queue, and says why.
  mutating func fail(_ key: CoordinationKey, _ failure: ClaimFailure) {
    guard let claim = remove(key) else { return }
    send(key.member, .failed(key, failure))
    giveBack(claim)
  }

  mutating func release(_ key: CoordinationKey, _ outcomes: [ItemOutcome], now: Duration) {
    guard let claim = remove(key) else { return }
    if !claim.request.isBatch, claim.isHeld { tell(outcomes, of: claim) }
    giveBack(claim)
    if !order.isEmpty { advance(now: now) }
  }

  private mutating func tell(_ outcomes: [ItemOutcome], of claim: Claim) {
    let request = claim.request
    for (item, outcome) in zip(request.items, outcomes) where item.writes {
      guard outcome.existedBefore || outcome.existsAfter else { continue }
      // Its end was announced to those who were asked to let go of it; nobody else knows of that.
      let isAnnounced =
        !outcome.existsAfter && !item.options.isDisjoint(with: [.deletes, .replaces])
      tellChange(
        of: item.path, appeared: !outcome.existedBefore, isGone: !outcome.existsAfter,
        except: request.presenter, knownTo: isAnnounced ? claim.asked : [])
    }
    // None: nothing was touched.
    guard !outcomes.isEmpty else { return }
    // Then come the names that items were moved to, which may have been changed as well.
    let claimed = Set(request.items.prefix(outcomes.count).filter(\.writes).map(\.path))
    for item in request.items.dropFirst(outcomes.count)
    where item.writes && !claimed.contains(item.path) {
      tellChange(of: item.path, appeared: false, except: request.presenter)
    }
  }

  @discardableResult
  private mutating func remove(_ key: CoordinationKey) -> Claim? {
    guard let claim = claims.removeValue(forKey: key) else { return nil }
    members[key.member]?.claims -= 1
    if let index = order.firstIndex(of: key) { order.remove(at: index) }
    return claim
  }

  /// Tells those who gave way that they may go on.
  private mutating func giveBack(_ claim: Claim) {
    for presenter in claim.asked.sorted(by: { ($0.member, $0.number) < ($1.member, $1.number) }) {
      reacquire(presenter, from: claim.request.key)
    }
  }

  mutating func reacquire(_ presenter: CoordinationKey, from claim: CoordinationKey) {
    guard presenters[presenter] != nil else { return }
    send(presenter.member, .notice(presenter: presenter, .reacquire(claim)))
  }

  /// Tells of what a claim may have changed that ended without a word about that.
  private mutating func tellPossibleChange(by claim: Claim) {
    guard claim.isHeld, !claim.request.isBatch else { return }
    for item in claim.request.items where item.writes {
      tellChange(of: item.path, appeared: false, except: claim.request.presenter)
    }
  }

  /// Ends all that a process had.
  mutating func forget(_ member: UInt64, now: Duration) {
    guard members[member] != nil else { return }
    for key in order where key.member == member {
      guard let claim = remove(key) else { continue }
      // Nobody knows how far a writer came that has ended.
      tellPossibleChange(by: claim)
      giveBack(claim)
    }
    for presenter in members[member]?.presenters ?? [] { unpresent(presenter, now: now) }
    members[member] = nil
    returning[member] = nil
    releaseStrandedPresenters()
    advance(now: now)
  }
}

// What becomes of claims when a connection ends, or the arbiter, and another process takes over.
extension Arbiter {
  /// It may hold what it has, as one that an earlier arbiter knew, and presents what it presented.
  mutating func lose(_ member: UInt64, now: Duration) {
    guard members[member]?.isConnected == true else { return }
    members[member]?.isConnected = false
    members[member]?.isRecovering = true
    for key in order where key.member == member { claims[key]?.state = .unconfirmed }
    // Some go past those who wait for what may be held now.
    advance(now: now)
  }

  mutating func greet(_ member: UInt64, _ newcomer: CoordinatingProcess, now: Duration) {
    var entry = members[member] ?? Member(process: newcomer)
    entry.process = newcomer
    entry.isConnected = true
    entry.isCongested = false
    entry.isRecovering = true
    entry.unnamed = entry.presenters
    members[member] = entry
    // It says anew what it has; what it does not name by the time it is ready is over.
    for key in order where key.member == member { claims[key]?.state = .unconfirmed }
    send(member, .welcome(process))
    askAnew(member, now: now)
  }

  mutating func recover(
    _ member: UInt64, _ owner: CoordinatingProcess, _ requests: [ClaimRequest],
    _ presented: [PresenterRecord], now: Duration
  ) {
    guard members[member] == nil else { return }
    members[member] = Member(process: owner, isRecovering: true)
    for record in presented.prefix(Self.maximumPresenters) where record.key.member == member {
      members[member]?.presenters.insert(record.key)
      presenters[record.key] = Presenter(record: record)
      returning[member] = now + Self.returnPatience
    }
    for request in requests where request.key.member == member && claims[request.key] == nil {
      enqueue(request.key, since: request.since)
      claims[request.key] = Claim(request: request, state: .unconfirmed)
      members[member]?.claims += 1
    }
  }

  mutating func finishRecovery(of member: UInt64, now: Duration) {
    members[member]?.isRecovering = false
    returning[member] = nil
    // What it said of their end may have been lost with its former connection.
    for presenter in members[member]?.unnamed ?? [] { unpresent(presenter, now: now) }
    members[member]?.unnamed = []
    for key in order where key.member == member {
      guard let claim = claims[key], case .unconfirmed = claim.state else { continue }
      remove(key)
      // It ended while there was no arbiter to tell.
      tellPossibleChange(by: claim)
      giveBack(claim)
    }
    // It may have come back before the end of its former connection was heard.
    tellMissed(of: member)
    releaseStrandedPresenters()
    advance(now: now)
  }

  /// Lets presenters go on that gave way to claims of which nothing is left: their processes have
  /// come back and not named them, or have ended.
  private mutating func releaseStrandedPresenters() {
    let pairs = stranded.filter { members[$0.claim.member]?.isRecovering != true }
    guard !pairs.isEmpty else { return }
    stranded.removeAll { members[$0.claim.member]?.isRecovering != true }
    for pair in pairs.sorted(by: { $0.claim.number < $1.claim.number })
    where claims[pair.claim] == nil {
      reacquire(pair.presenter, from: pair.claim)
    }
  }
}
