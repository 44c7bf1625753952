// What presenters are told after something has happened.
extension Arbiter {
  /// Tells a presenter, or notes that it missed something if it does not listen now.
  mutating func tell(_ key: CoordinationKey, _ notice: PresenterNotice) {
    guard let presenter = presenters[key], let member = members[key.member] else { return }
    // One that its process, which is coming back, has still to name would be told of a move, and
    // then be named by the name that it had before.
    guard !presenter.hasLapsed, member.isConnected, !member.isCongested,
      !member.unnamed.contains(key)
    else {
      presenters[key]?.missedSomething = true
      return
    }
    if case .didMove = notice { presenters[key]?.formerPath = nil }
    send(key.member, .notice(presenter: key, notice))
  }

  mutating func tellMissed(of member: UInt64) {
    for key in members[member]?.presenters ?? [] where presenters[key]?.hasLapsed == false {
      tellMissed(key)
    }
  }

  /// What exactly it missed is not kept, but where its item is: it has to look at that anyway.
  mutating func tellMissed(_ key: CoordinationKey) {
    guard let presenter = presenters[key], presenter.missedSomething else { return }
    presenters[key]?.missedSomething = false
    if presenter.formerPath != nil, let path = presenter.record.path {
      tell(key, .didMove(to: path))
    }
    tell(key, .didChange)
  }

  /// - parameters:
  ///   - isGone: Whether the item is there no more, nor what was in it.
  ///   - informed: Those who know already that theirs is gone.
  mutating func tellChange(
    of path: ItemPath, appeared: Bool, isGone: Bool = false, except own: CoordinationKey?,
    knownTo informed: Set<CoordinationKey> = []
  ) {
    for (key, presenter) in presenters where key != own {
      guard let presented = presenter.record.path else { continue }
      let isPart = path.contains(presented) && (isGone || path.unit == presented.unit)
      if presented == path || isPart {
        // Whoever writes a package writes its parts.
        if !informed.contains(key) { tell(key, .didChange) }
      } else if presented.contains(path) {
        tell(key, appeared ? .subitemDidAppear(path) : .subitemDidChange(path))
      }
    }
  }

  mutating func tellVersion(_ event: FileVersionEvent, at path: ItemPath, id: String) {
    for (key, presenter) in presenters {
      guard let presented = presenter.record.path else { continue }
      if presented == path {
        tell(key, .version(event, id: id))
      } else if presented.contains(path) {
        tell(key, .subitemVersion(event, at: path, id: id))
      }
    }
  }

  /// An item was renamed inside an accessor: claims that wait for it and its presenters follow.
  mutating func move(
    by mover: CoordinationKey, from old: ItemPath, to new: ItemPath, now: Duration
  ) {
    guard old != new, let claim = claims[mover], claim.isHeld,
      let item = claim.request.items.mover(of: old)
    else { return }
    var concerned: [CoordinationKey] = []
    for key in order where key != mover {
      guard let items = claims[key]?.request.items, claims[key]?.isHeld == false else { continue }
      for index in items.indices { claims[key]?.request.items[index].follow(from: old, to: new) }
      // Whoever presents what was moved may not have been asked by those who claim the new name.
      if claims[key]?.request.items != items || items.contains(where: { $0.isAbout(new) }) {
        concerned.append(key)
      }
    }
    // The old name stays claimed as well, since others may claim it anew; and so does the new one,
    // where it is claimed for something else.
    claims[mover]?.request.items.add(ClaimedItem(new, item.options))
    // It may be inside of another access, or beside one, of the same purpose.
    for key in order where claims[key]?.isHeld == true {
      claims[key]?.request.items.follow(from: old, to: new)
    }
    tellMove(from: old, to: new, except: claim.request.presenter)
    for key in concerned { askNewlyConcerned(key, now: now) }
    advance(now: now)
  }

  private mutating func tellMove(from old: ItemPath, to new: ItemPath, except own: CoordinationKey?)
  {
    for (key, presenter) in presenters {
      guard let presented = presenter.record.path else { continue }
      if let moved = presented.moved(from: old, to: new) {
        presenters[key]?.record.path = moved
        guard key != own else { continue }
        presenters[key]?.formerPath = presenter.formerPath ?? presented
        tell(key, .didMove(to: moved))
      } else if key != own, presented.contains(old) || presented.contains(new) {
        tell(key, .subitemDidMove(from: old, to: new))
      }
    }
  }
}

extension ClaimedItem {
  /// Whether those who present an item, or what is in it, may be asked for a claim on this one.
  func isAbout(_ other: ItemPath) -> Bool {
    unit == other.unit || path.contains(other) || other.contains(path)
  }

  /// Whether a claim on this item is one on another, too.
  func covers(_ other: ItemPath) -> Bool {
    path == other || unit == other.unit || takesContentsAlong && path.contains(other)
  }
}

extension ClaimedItem {
  fileprivate func isAsStrict(as other: ClaimedItem) -> Bool {
    path == other.path && writes && (takesContentsAlong || !other.takesContentsAlong)
  }
}

extension [ClaimedItem] {
  /// Adds an item, unless it is claimed as strictly already, or there are too many.
  mutating func add(_ item: ClaimedItem) {
    guard count < ClaimRequest.maximumItems,
      !contains(where: { $0 == item || $0.isAsStrict(as: item) })
    else { return }
    append(item)
  }

  /// Adds what has been moved, or was in what has been moved, by its new name; the old one may be
  /// claimed anew.
  mutating func follow(from old: ItemPath, to new: ItemPath) {
    for item in self {
      var moved = item
      moved.follow(from: old, to: new)
      if moved.path != item.path { add(moved) }
    }
  }

  /// As which of these an access moves an item: where several cover it, as one that takes its
  /// contents along, since the new name is claimed likewise.
  func mover(of item: ItemPath) -> ClaimedItem? {
    let covering = filter { $0.writes && $0.covers(item) }
    return covering.first(where: \.takesContentsAlong) ?? covering.first
  }
}

extension Arbiter {
  /// Who claims what now.
  package func report(now: Duration) -> CoordinationReport {
    CoordinationReport(
      arbiter: process,
      claims: order.prefix(CoordinationReport.maximumEntries).compactMap { key in
        guard let claim = claims[key], let member = members[key.member] else { return nil }
        return CoordinationReport.Claim(
          process: member.process, state: claim.reportedState,
          items: claim.request.items.map {
            .init(path: $0.path.text, writes: $0.writes)
          },
          age: max(.zero, now - claim.request.since), waitsFor: holders(before: key))
      },
      presenters: presenters.values.compactMap { entry in
        guard let member = members[entry.record.key.member] else { return nil }
        return CoordinationReport.Presenter(
          process: member.process, path: entry.record.path?.text, hasLapsed: entry.hasLapsed)
      }.sorted { ($0.process.id, $0.path ?? "") < ($1.process.id, $1.path ?? "") })
  }
}

extension Arbiter.Claim {
  fileprivate var reportedState: CoordinationReport.Claim.State {
    switch state {
    case .waiting: .waiting
    case .asking: .asking
    case .active: .active
    case .unconfirmed: .unconfirmed
    }
  }
}
