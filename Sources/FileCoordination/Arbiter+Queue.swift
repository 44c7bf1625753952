// Who waits for whom.
extension Arbiter {
  mutating func add(_ request: ClaimRequest, isHeld: Bool, now: Duration) {
    let old = claims[request.key]
    if old == nil {
      guard let member = members[request.key.member], member.claims < limit(of: member) else {
        return send(request.key.member, .failed(request.key, .overLimit))
      }
      members[request.key.member]?.claims += 1
      enqueue(request.key, since: request.since)
    }
    var claim = Claim(request: request, state: isHeld ? .active : .waiting)
    claim.asked = old?.asked ?? []
    claims[request.key] = claim
    guard !isHeld else { return }
    tryToStart(request.key, now: now)
    guard let claim = claims[request.key], !claim.isHeld else { return }
    if let loop = cycle(from: request.key) {
      fail(request.key, .deadlock(loop))
      return advance(now: now)
    }
    if request.wantsHolders {
      send(request.key.member, .waiting(request.key, holders(before: request.key)))
    }
    // It stands before some that came earlier, who wait for it now, and are gone past by those for
    // whom it waits. Of a process that is coming back all claims are looked at in the end.
    guard order.last != request.key, members[request.key.member]?.isRecovering == false else {
      return
    }
    advance(now: now)
  }

  /// One that comes back has, besides, what it had and does not name any more, until it has said
  /// all: nothing may be refused then that it holds.
  private func limit(of member: Member) -> Int {
    member.isRecovering ? 2 * Self.maximumClaims : Self.maximumClaims
  }

  /// Starts those who go past others by now, since something of their purpose was granted: they may
  /// stand before that in the queue, and have been looked at before it was.
  mutating func letSharersPass(now: Duration) {
    while !newPurposes.isEmpty {
      let purposes = newPurposes
      newPurposes = []
      let areWaiting = claims.values.contains { claim in
        !claim.isHeld && purposes.contains(claim.request.purpose)
      }
      if areWaiting { advance(now: now) }
    }
  }

  /// By the time of the request: processes that come back after a takeover arrive in any order.
  mutating func enqueue(_ key: CoordinationKey, since: Duration) {
    var index = order.count
    while index > 0, let before = claims[order[index - 1]], before.request.since > since {
      index -= 1
    }
    order.insert(key, at: index)
  }

  /// Starts all claims whose turn has come.
  mutating func advance(now: Duration) {
    for key in order { tryToStart(key, now: now) }
    // A claim that stays may have come to wait for one that waits for it.
    guard hasCycle() else { return }
    for key in order.reversed() {
      guard isNested(key), let loop = cycle(from: key) else { continue }
      fail(key, .deadlock(loop))
      return advance(now: now)
    }
  }

  /// Goes on with a claim as far as it can.
  mutating func tryToStart(_ key: CoordinationKey, now: Duration) {
    guard returning.isEmpty, let claim = claims[key], case .waiting = claim.state,
      order.count == 1 || !isBlocked(key)
    else { return }
    if !claim.isAnswered { ask(key, now: now) }
    guard let claim = claims[key] else { return }
    if case .asking(let deadlines) = claim.state { passOn(deadlines, now: now) }
    guard case .waiting = claim.state, claim.isAnswered else { return }
    claims[key]?.state = .active
    if order.count > 1 { newPurposes.insert(claim.request.purpose) }
    send(key.member, .granted(key, claim.request.items.map(\.path)))
  }

  /// Starts what those who have just been asked have claimed before: it does not wait any more for
  /// whoever waits for that answer.
  private mutating func passOn(_ asked: [CoordinationKey: Duration], now: Duration) {
    for key in order {
      guard let presenter = claims[key]?.request.presenter else { continue }
      if asked[presenter] != nil { tryToStart(key, now: now) }
    }
  }

  private func isBlocked(_ key: CoordinationKey) -> Bool {
    guard let claim = claims[key] else { return false }
    lazy var passed = waitingForHolder(beside: claim.request)
    var isEarlier = true
    for other in order {
      if other == key {
        isEarlier = false
      } else if blocks(other, claim, isEarlier: isEarlier) {
        if claims[other]?.isHeld == true || !passed.contains(other) { return true }
      }
    }
    return false
  }

  /// The claims that a claim waits for.
  func blockers(of key: CoordinationKey) -> [CoordinationKey] {
    guard let claim = claims[key] else { return [] }
    let passed = waitingForHolder(beside: claim.request)
    let place = order.firstIndex(of: key) ?? order.count
    return order.enumerated().filter { index, other in
      other != key && blocks(other, claim, isEarlier: index < place) && !passed.contains(other)
    }.map(\.element)
  }

  /// Whether one is in the way of another, unless that goes past it.
  private func blocks(_ key: CoordinationKey, _ claim: Claim, isEarlier: Bool) -> Bool {
    guard let other = claims[key], other.request.conflicts(with: claim.request) else {
      return false
    }
    if other.isHeld { return true }
    guard isEarlier else { return false }
    return !asks(other, claim.request.presenter)
  }

  /// Whether a claim waits for a presenter's answer, and so for what that writes in answer.
  private func asks(_ claim: Claim, _ presenter: CoordinationKey?) -> Bool {
    guard case .asking(let deadlines) = claim.state, let presenter else { return false }
    return deadlines[presenter] != nil
  }

  /// The waiting claims that wait for what the requester holds, or is asked for, directly or behind
  /// others, so that to wait for one of them would be to wait for oneself.
  private func waitingForHolder(beside request: ClaimRequest) -> Set<CoordinationKey> {
    var dependent = order.compactMap { held -> ClaimRequest? in
      guard let holder = claims[held],
        asks(holder, request.presenter)
          || holder.isHeld
            && (holder.request.purpose == request.purpose || request.parents.contains(held))
      else { return nil }
      return holder.request
    }
    var result: Set<CoordinationKey> = []
    guard !dependent.isEmpty else { return result }
    for waiting in order {
      guard let claim = claims[waiting], !claim.isHeld,
        dependent.contains(where: { $0.conflicts(with: claim.request) })
      else { continue }
      result.insert(waiting)
      dependent.append(claim.request)
    }
    return result
  }

  /// Who is in the way of a claim, for people.
  func holders(before key: CoordinationKey) -> [CoordinationHolder] {
    guard let claim = claims[key] else { return [] }
    var result = blockers(of: key).compactMap { holder($0, inTheWayOf: claim.request) }
    if case .asking(let deadlines) = claim.state {
      result += deadlines.keys.sorted { $0.number < $1.number }.compactMap(holder(presenting:))
    }
    if !claim.isHeld { result += holdersReturning(before: claim.request, beside: result) }
    return Array(result.prefix(ClaimFailure.maximumHolders))
  }

  private func holder(
    _ key: CoordinationKey, inTheWayOf request: ClaimRequest?
  ) -> CoordinationHolder? {
    guard let claim = claims[key], let process = members[key.member]?.process else { return nil }
    let item =
      claim.request.items.first { item in
        request?.items.contains { item.conflicts(with: $0) } ?? false
      } ?? claim.request.items.first
    guard let item else { return nil }
    let role: CoordinationHolder.Role =
      switch claim.state {
      case .active: item.writes ? .writes : .reads
      case .unconfirmed: .mayHold
      case .waiting, .asking: .waits
      }
    return CoordinationHolder(process: process, role: role, path: item.path.text)
  }

  /// Those that may present the items, where they are not in the way anyhow.
  private func holdersReturning(
    before request: ClaimRequest, beside others: [CoordinationHolder]
  ) -> [CoordinationHolder] {
    let path = request.items.first?.path.text ?? ""
    return returning.keys.sorted().compactMap { members[$0]?.process }
      .filter { process in !others.contains { $0.process == process } }
      .map { CoordinationHolder(process: $0, role: .mayHold, path: path) }
  }

  private func holder(presenting key: CoordinationKey) -> CoordinationHolder? {
    guard let presenter = presenters[key], let process = members[key.member]?.process else {
      return nil
    }
    return CoordinationHolder(
      process: process, role: .presents, path: presenter.record.path?.text ?? "")
  }

  /// Those who wait for one another, if the claim is one of them.
  ///
  /// A claim waits for those in its way; an access waits for what is claimed inside its accessor;
  /// a claim that asks presenters waits for what these claim in order to answer.
  func cycle(from start: CoordinationKey) -> [CoordinationHolder]? {
    guard mayBeInCycle(start) else { return nil }
    var trail: [CoordinationKey] = []
    var visited: Set<CoordinationKey> = []
    func search(_ key: CoordinationKey) -> Bool {
      trail.append(key)
      for next in awaited(by: key) {
        if next == start { return true }
        if visited.insert(next).inserted, search(next) { return true }
      }
      trail.removeLast()
      return false
    }
    guard search(start) else { return nil }
    return Array(
      trail.compactMap { holder($0, inTheWayOf: nil) }.prefix(ClaimFailure.maximumHolders))
  }

  /// A first look, since to look for a cycle takes long where many wait.
  ///
  /// A claim in the queue waits for those before it and for those that are held. So there is no
  /// cycle without one that waits inside of an accessor, or to answer; and nobody waits for the
  /// last in the queue otherwise.
  private func mayBeInCycle(_ start: CoordinationKey) -> Bool {
    isNested(start) || order.last != start && order.contains(where: isNested)
  }

  /// Whether a claim waits inside of an accessor, or to answer.
  private func isNested(_ key: CoordinationKey) -> Bool {
    guard let claim = claims[key], !claim.isHeld else { return false }
    return !(claim.request.parents.isEmpty && claim.request.answering.isEmpty)
  }

  /// Whether any wait for one another: in one search, where one for each that is nested would look
  /// at all the others each time.
  private func hasCycle() -> Bool {
    /// Those that have been come to; true: by way of themselves, if they are come to again.
    var isOnTrail: [CoordinationKey: Bool] = [:]
    func search(_ key: CoordinationKey) -> Bool {
      if let isOnTrail = isOnTrail[key] { return isOnTrail }
      isOnTrail[key] = true
      if awaited(by: key).contains(where: search) { return true }
      isOnTrail[key] = false
      return false
    }
    return order.contains { isNested($0) && search($0) }
  }

  private func awaited(by key: CoordinationKey) -> [CoordinationKey] {
    guard let claim = claims[key] else { return [] }
    switch claim.state {
    case .waiting: return blockers(of: key)
    case .asking(let deadlines):
      return order.filter {
        guard let request = claims[$0]?.request, request.answering.contains(key) else {
          return false
        }
        // One that was asked twice may still be answering what it has answered.
        return request.presenter.map { deadlines[$0] != nil } ?? true
      }
    case .active, .unconfirmed:
      return order.filter {
        claims[$0].map { !$0.isHeld && $0.request.parents.contains(key) } ?? false
      }
    }
  }
}

extension ClaimFailure {
  /// How many of those in the way are named.
  static let maximumHolders = 16
}
