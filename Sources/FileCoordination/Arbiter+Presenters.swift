// What presenters are asked before an access begins.
extension Arbiter {
  mutating func present(
    _ record: PresenterRecord, gaveWayTo keys: [CoordinationKey], now: Duration
  ) {
    let owner = record.key.member
    guard presenters[record.key] != nil || hasRoomForPresenter(of: owner) else { return }
    members[owner]?.presenters.insert(record.key)
    members[owner]?.unnamed.remove(record.key)
    note(record)
    send(owner, .presented(record.key))
    for key in keys.prefix(Self.maximumPresenters) {
      if claims[key] != nil {
        claims[key]?.asked.insert(record.key)
      } else if mayStillName(key) {
        stranded.append((record.key, key))
      } else {
        reacquire(record.key, from: key)
      }
    }
    askNew(record.key, now: now)
  }

  /// One that comes back has, besides, what it had and does not name any more.
  private func hasRoomForPresenter(of owner: UInt64) -> Bool {
    guard let member = members[owner] else { return false }
    return member.presenters.count - member.unnamed.count < Self.maximumPresenters
  }

  /// Whether a process that is coming back may name a claim that is not known here: not one that
  /// has only said that it presents something.
  private func mayStillName(_ claim: CoordinationKey) -> Bool {
    guard let owner = members[claim.member], owner.isRecovering else { return false }
    return owner.isConnected || owner.claims > 0
  }

  /// Has those ask a presenter, too, who are about to begin, and were when it came.
  private mutating func askNew(_ presenter: CoordinationKey, now: Duration) {
    guard let path = presenters[presenter]?.record.path else { return }
    for key in order {
      guard let claim = claims[key], !claim.asked.contains(presenter),
        claim.request.presenter != presenter,
        !Self.questions(to: path, about: claim.request).isEmpty
      else { continue }
      switch claim.state {
      case .waiting, .asking: askNewlyConcerned(key, now: now)
      case .active, .unconfirmed: break
      }
    }
  }

  private mutating func note(_ record: PresenterRecord) {
    // One that was not told yet of a move says where its item was before that.
    if let former = presenters[record.key]?.formerPath, former == record.path { return }
    presenters[record.key, default: Presenter(record: record)].record = record
    presenters[record.key]?.formerPath = nil
  }

  mutating func unpresent(_ key: CoordinationKey, now: Duration) {
    guard presenters.removeValue(forKey: key) != nil else { return }
    members[key.member]?.presenters.remove(key)
    for claim in order { settle(claim, presenter: key, now: now) }
  }

  /// Asks all presenters that a claim concerns; none may be left to wait for.
  mutating func ask(_ key: CoordinationKey, now: Duration) {
    let deadlines = askPresenters(for: key, except: [], now: now)
    claims[key]?.isAnswered = deadlines.isEmpty
    if !deadlines.isEmpty { claims[key]?.state = .asking(deadlines) }
  }

  /// Asks those, too, whom a claim concerns since its items have other names.
  mutating func askNewlyConcerned(_ key: CoordinationKey, now: Duration) {
    guard let claim = claims[key], case .asking(let deadlines) = claim.state else {
      // All are asked when its turn comes.
      claims[key]?.isAnswered = false
      return
    }
    let added = askPresenters(for: key, except: claim.asked, now: now)
    claims[key]?.state = .asking(deadlines.merging(added) { $1 })
  }

  /// - returns: until when each may answer.
  private mutating func askPresenters(
    for key: CoordinationKey, except asked: Set<CoordinationKey>, now: Duration
  ) -> [CoordinationKey: Duration] {
    guard let claim = claims[key] else { return [:] }
    var deadlines: [CoordinationKey: Duration] = [:]
    for (presenter, entry) in presenters where !asked.contains(presenter) {
      guard let path = entry.record.path, presenter != claim.request.presenter,
        !hasGivenWay(presenter, within: claim.request)
      else { continue }
      let questions = Self.questions(to: path, about: claim.request)
      guard !questions.isEmpty else { continue }
      // One that has lapsed would only be asked more than it can answer; it is told when it is
      // back that it missed something.
      guard !entry.hasLapsed else {
        presenters[presenter]?.missedSomething = true
        continue
      }
      deadlines[presenter] = now + claim.request.patience
      put(questions, to: presenter, for: key)
    }
    claims[key]?.asked.formUnion(deadlines.keys)
    return deadlines
  }

  private mutating func put(
    _ questions: [PresenterQuestion], to presenter: CoordinationKey, for claim: CoordinationKey
  ) {
    // One whose process is coming back is asked when it is back; its time runs all the same.
    guard members[presenter.member]?.isConnected == true else { return }
    let asker = members[claim.member]?.process ?? process
    send(presenter.member, .ask(claim: claim, presenter: presenter, questions, asker: asker))
  }

  /// Asks the presenters of a process that has come back what it was not asked yet, or by its
  /// former connection: that it may never have read, and then never answers.
  ///
  /// It has its whole time for that, once: else nothing would ever begin beside a process whose
  /// connection ends each time that it has come back.
  mutating func askAnew(_ member: UInt64, now: Duration) {
    for presenter in members[member]?.presenters ?? [] {
      presenters[presenter]?.hasLapsed = false
    }
    for key in order {
      guard let claim = claims[key], case .asking(var deadlines) = claim.state else { continue }
      // Changed once for all of them: there may be many.
      var askedAnew = claim.askedAnew
      for presenter in Array(deadlines.keys) where presenter.member == member {
        guard let path = presenters[presenter]?.record.path else { continue }
        if askedAnew.insert(presenter).inserted {
          deadlines[presenter] = now + claim.request.patience
        }
        put(Self.questions(to: path, about: claim.request), to: presenter, for: key)
      }
      claims[key]?.askedAnew = askedAnew
      claims[key]?.state = .asking(deadlines)
    }
  }

  /// Whether a presenter was asked by a batch that the claim is part of.
  private func hasGivenWay(_ presenter: CoordinationKey, within request: ClaimRequest) -> Bool {
    request.parents.contains { parent in
      guard let batch = claims[parent], batch.request.isBatch, batch.isHeld else { return false }
      return batch.request.purpose == request.purpose && batch.asked.contains(presenter)
    }
  }

  private static func questions(
    to presented: ItemPath, about request: ClaimRequest
  ) -> [PresenterQuestion] {
    var result: [PresenterQuestion] = []
    for item in request.items {
      for question in questions(to: presented, about: item, isBatch: request.isBatch)
      where !result.contains(question) {
        result.append(question)
      }
    }
    // A presenter gives way first, then saves, then lets go.
    return result.filter(\.isRelinquishing) + result.filter { $0 == .saveChanges }
      + result.filter { !$0.isRelinquishing && $0 != .saveChanges }
  }

  private static func questions(
    to presented: ItemPath, about item: ClaimedItem, isBatch: Bool
  ) -> [PresenterQuestion] {
    let isOfUnit = item.unit == presented.unit
    let isItem = presented == item.path || isOfUnit && item.path.contains(presented)
    let isAround = isOfUnit && presented.contains(item.path)
    let isWithin = item.path.contains(presented) && (item.takesContentsAlong || isBatch)
    guard isItem || isAround || isWithin else { return [] }
    var result: [PresenterQuestion] = [item.writes ? .relinquishToWriter : .relinquishToReader]
    if item.writes ? item.options.contains(.merges) : !item.options.contains(.withoutChanges) {
      result.append(.saveChanges)
    }
    if item.writes, !item.options.isDisjoint(with: [.deletes, .replaces]) {
      result.append(isAround ? .accommodateSubitemDeletion(item.path) : .accommodateDeletion)
    }
    return result
  }

  mutating func answer(
    _ claim: CoordinationKey, by key: CoordinationKey, _ failure: String?, now: Duration
  ) {
    guard var presenter = presenters[key] else { return }
    if presenter.hasLapsed {
      presenter.hasLapsed = false
      presenters[key] = presenter
      tellMissed(key)
    }
    guard claims[claim] != nil else { return reacquire(key, from: claim) }
    // Whatever arbiter asked it, it has given way.
    claims[claim]?.asked.insert(key)
    if let failure, case .asking(let deadlines)? = claims[claim]?.state, deadlines[key] != nil {
      let process = members[key.member]?.process ?? process
      fail(claim, .presenterFailed(process, message: failure))
      return advance(now: now)
    }
    settle(claim, presenter: key, now: now)
    // It waits for others by now, who may wait for it; or began, so that others go past whoever
    // waits for it. And what the presenter has claimed does not go past it any more.
    if claims[claim]?.isAnswered == true || order.contains(where: { isWaiting($0, for: key) }) {
      advance(now: now)
    }
  }

  private func isWaiting(_ claim: CoordinationKey, for presenter: CoordinationKey) -> Bool {
    claims[claim].map { !$0.isHeld && $0.request.presenter == presenter } ?? false
  }

  /// Waits for a presenter no longer.
  private mutating func settle(
    _ key: CoordinationKey, presenter: CoordinationKey, now: Duration
  ) {
    guard case .asking(var deadlines)? = claims[key]?.state, deadlines[presenter] != nil else {
      return
    }
    // Nowhere else meanwhile: else all are copied for each of many.
    claims[key]?.state = .waiting
    deadlines[presenter] = nil
    if !deadlines.isEmpty { claims[key]?.state = .asking(deadlines) }
    claims[key]?.isAnswered = deadlines.isEmpty
    tryToStart(key, now: now)
  }

  mutating func lapse(_ key: CoordinationKey, asked claim: CoordinationKey, now: Duration) {
    guard let presenter = presenters[key], let request = claims[claim]?.request else { return }
    presenters[key]?.hasLapsed = true
    presenters[key]?.missedSomething = true
    send(
      claim.member,
      .lapsed(
        claim,
        PresenterLapse(
          process: members[key.member]?.process ?? process,
          path: presenter.record.path?.text ?? "", waited: request.patience)))
    // Other claims wait for it as little.
    for other in order { settle(other, presenter: key, now: now) }
  }
}

extension PresenterQuestion {
  var isRelinquishing: Bool { self == .relinquishToReader || self == .relinquishToWriter }
}
