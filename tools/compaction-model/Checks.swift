/// What must never be.
enum Verdict: String {
  case fine = ""
  case diverged = "DIVERGED: two devices that have everything show or list something else"
  case lost = "LOST: a write is neither shown, nor superseded, nor listed"
  case back = "BACK: something shows that the same history without compaction does not show"
  case stump = "STUMP: values without their insert remain"
  case blank = "BLANK: a live device shows less than what it has applied says"
  case ghost = "GHOST: a live device shows what it has applied says is gone"
  case wontRest = "RESTLESS: the devices never come to rest"
  case lastCopy = "LAST COPY: a deletion took what nobody but its author still has"
  case staleRevival = "STALE REVIVAL: revived what the roll-up's writer knew a write had covered"
  case swallowed = "SWALLOWED: a revival covered a value in conflict that nobody had settled"
  case hoarded = "HOARDED: what is dead is kept for ever, though everybody is live"
  case needless = "NEEDLESS: deleted values are issued again though everybody is live"
  case overflow = "cut off: no room"
}

extension Model {
  /// At every step, on live devices: shown is what the oracle says of all that has been applied.
  func checkStep(_ state: State) -> Verdict {
    if state.trouble == .overflow { return .overflow }
    if state.trouble == .lastCopy { return .lastCopy }
    if lane.isRestOnly { return .fine }
    for device in 0..<Bound.devices where !state.isLost(device) && isLive(device, state) {
      let view = state.view(of: device)
      let truth = state.oracle(state.devices[device].applied)
      if truth.visible & ~view.visible & ~excused(state) != 0 { return .blank }
      if view.visible & ~truth.visible != 0 { return .ghost }
    }
    return .fine
  }

  /// Whether nobody took it for dead, ever: only C travels.
  private func isLive(_ device: Int, _ state: State) -> Bool { state.horizons == 0 || device != 2 }

  /// At quiescence.
  func checkRest(_ state: State) -> Verdict {
    if state.trouble == .overflow { return faults.contains(.ackAcks) ? .wontRest : .overflow }
    var reached = Vector()
    var first: View?
    for device in 0..<Bound.devices where !state.isLost(device) {
      reached = reached.joined(state.devices[device].applied)
      let view = state.view(of: device)
      if let first, first != view { return .diverged }
      first = view
    }
    guard let view = first else { return .fine }
    let truth = state.oracle(reached)
    if view.visible & ~truth.visible != 0 { return .back }
    let lost = (truth.visible | truth.homeless) & ~(view.visible | view.homeless)
    if lost & ~excused(state) != 0 { return .lost }
    // Where the traveller is lost nobody revives: then it is listed, as 24 has it.
    let isStump = view.visible != 0 && view.visible & state.at[Path.root] == 0
    if isStump && state.lost == 0 { return .stump }
    if state.horizons == 0 && state.lost == 0 {
      let revived = (0..<state.count).contains { state.transactions[$0].isRevived }
      if revived { return .needless }
    }
    if staleRevival(view, state) { return .staleRevival }
    return swallows(view, reached, state) ? .swallowed : .fine
  }

  /// Whether all that is left in the folder is what shows or is listed.
  func checkEnd(_ state: State) -> Verdict {
    if state.horizons > 0 || state.lost != 0 || lane.isRestOnly { return .fine }
    if !faults.isEmpty { return .fine }
    let view = state.view(of: 0)
    for index in 0..<state.fileCount where !state.files[index].isRemoved {
      let idle = state.files[index].carried & ~(view.visible | view.undone | view.homeless)
      if idle != 0 { return .hoarded }
    }
    return .fine
  }

  /// Values that no user's write has covered, gone from sight by a revival that did not copy them.
  private func swallows(_ view: View, _ reached: Vector, _ state: State) -> Bool {
    var revived: OpMask = 0
    var copied: OpMask = 0
    for index in 0..<state.count where state.transactions[index].isRevived {
      revived |= State.operations(of: index)
      for slot in 0..<Bound.slots where state.transactions[index].source(slot) != 0xFF {
        copied |= .one(Int(state.transactions[index].source(slot)))
      }
    }
    if revived == 0 { return false }
    let all = state.operations(in: reached) & ~revived
    let wanted = state.view(held: all, applied: reached).visible & state.scalars
    return wanted & ~(view.visible | copied | excused(state)) != 0
  }

  /// What rule 24 gives up: once a horizon has passed, what a delete covers.
  private func excused(_ state: State) -> OpMask {
    if state.horizons == 0 { return 0 }
    var result: OpMask = 0
    state.deletes.forEach { result |= state.cover(of: $0) }
    return result
  }

  private func staleRevival(_ view: View, _ state: State) -> Bool {
    view.visible.contains { copy in
      let item = state.transactions[copy >> 2]
      let source = item.source(copy & 3)
      guard item.isRevived, source != 0xFF else { return false }
      let basis = state.operations(in: item.basis)
      return (basis & state.coverers).contains { state.cover(of: $0) & .one(Int(source)) != 0 }
    }
  }
}
