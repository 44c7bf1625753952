/// Delivery (6), statements (22) and revival (24).
extension Model {
  /// Applies what can be applied in a device's folder, until nothing changes any more.
  func importAll(_ device: Int, _ state: inout State) {
    var changed = true
    while changed && state.trouble == .none {
      changed = false
      for index in 0..<state.fileCount where state.files[index].arrival(device) == .present {
        let file = state.files[index]
        if file.owner == UInt8(device) { continue }
        if apply(file, device, &state) { changed = true }
        if state.trouble != .none { return }
      }
    }
  }

  private func apply(_ file: LogFile, _ device: Int, _ state: inout State) -> Bool {
    let stream = Int(file.stream)
    let applied = state.devices[device].applied[stream]
    // What lies behind a hole waits.
    if Int(file.low) > applied + 1 { return false }
    var changed = false
    if Int(file.high) > applied {
      let fresh = state.range(stream, applied + 1, Int(file.high)) & file.carried
      state.devices[device].held |= fresh
      state.devices[device].applied[stream] = Int(file.high)
      // Something new of that device has arrived here: it is live (20).
      state.devices[device].live |= 1 << file.stream
      state.forget(device)
      changed = true
    }
    return heed(file, device, &state) || changed
  }

  /// A roll-up is a statement: what it leaves out of its range is dead, whatever is held of it.
  private func heed(_ file: LogFile, _ device: Int, _ state: inout State) -> Bool {
    if faults.contains(.omissionIgnored) { return false }
    let range = state.range(Int(file.stream), Int(file.low), Int(file.high))
    let held = state.devices[device].held
    let omitted = range & ~file.carried & held
    if omitted == 0 { return false }
    let isEarly = !state.devices[device].applied.contains(file.seen)
    if isEarly && amendments.contains(.putOffStatement) && !faults.contains(.reviveNow) {
      return false
    }
    let late = omitted & file.byDelete
    state.devices[device].held &= ~(omitted & ~late & ~state.deletes)
    if late != 0 { takeAway(late, file, device, &state) }
    letGo(omitted & state.deletes & ~late, device, &state)
    return state.devices[device].held != held
  }

  /// A delete that is left out goes, as amended, after everything that it covers.
  private func letGo(_ omitted: OpMask, _ device: Int, _ state: inout State) {
    var going = omitted
    if amendments.contains(.deleteStays) {
      let held = state.devices[device].held
      omitted.forEach { if state.cover(of: $0) & held != 0 { going &= ~.one($0) } }
    }
    state.devices[device].held &= ~going
  }

  /// What only a delete covered: at once, later, or after it has been issued anew.
  private func takeAway(
    _ late: OpMask, _ file: LogFile, _ device: Int, _ state: inout State
  ) {
    let now = state.devices[device]
    let visible = state.view(of: device).visible
    let own = visible & state.range(device, 1, 15)
    let left = state.view(held: now.held & ~late, applied: now.applied).visible
    let isEarly = !now.applied.contains(file.seen) && !faults.contains(.reviveNow)
    let takes = visible & ~left != 0 && !faults.contains(.neverRevive)
    if takes && own != 0 {
      if isEarly { return }
      revive(device, late, basis: file.seen, &state)
    }
    state.devices[device].held &= ~late
  }

  /// A new insert, marked as revived: the document whole as it is here, or what dies of it.
  private func revive(
    _ device: Int, _ late: OpMask, basis: Vector, _ state: inout State
  ) {
    let isPart = amendments.contains(.reviveDying)
    let chosen = isPart ? dying(device, late, state) : winners(device, state)
    var operations: [Operation] = []
    if !isPart { operations.append(Operation(kind: .clear, path: Path.root)) }
    chosen.forEach { operation in
      let item = state.transactions[operation >> 2]
      let source = item.source(operation & 3)
      let path = item.path(operation & 3)
      if !isPart && path == Path.root { return }
      let isFirst = source == 0xFF
      operations.append(
        Operation(
          kind: item.kind(operation & 3), path: path,
          source: isFirst ? UInt8(operation) : source))
    }
    let index = state.append(operations, by: device, insert: state.count, covering: !isPart)
    guard let index else { return }
    state.transactions[index].isRevived = true
    state.transactions[index].basis = basis
  }

  /// What shows: root, /a, /a/b, /c; in the order of paths.
  private func winners(_ device: Int, _ state: State) -> OpMask {
    let visible = state.view(of: device).visible
    let shown = state.shown(visible)
    var result: OpMask = 0
    for top in [shown.a, shown.b, shown.c] where top >= 0 { result |= .one(top) }
    return result
  }

  /// All values that die, and of objects one at each path.
  private func dying(_ device: Int, _ late: OpMask, _ state: State) -> OpMask {
    let gone = state.view(of: device).visible & late
    var result = gone & state.scalars
    for path in [Path.root, Path.a] {
      let top = (gone & state.at[path] & ~state.scalars).top
      if top >= 0 { result |= .one(top) }
    }
    return result
  }
}
