/// Quiescence: what is in anybody's folder is delivered everywhere.
extension Model {
  func settled(_ start: State) -> State {
    var state = start
    var rounds = 0
    while state.trouble == .none && rounds < 40 {
      rounds += 1
      if !deliverAll(&state) && !adoptAll(&state) && !acknowledgeAll(&state) { return state }
    }
    if state.trouble == .none { state.trouble = .overflow }
    return state
  }

  private func deliverAll(_ state: inout State) -> Bool {
    var changed = false
    for reader in 0..<Bound.devices where !state.isLost(reader) {
      for index in 0..<state.fileCount where reader != Int(state.files[index].owner) {
        let file = state.files[index]
        if file.isRemoved && file.arrival(reader) != .gone {
          state.files[index].setArrival(reader, .gone)
          changed = true
        } else if file.arrival(reader) == .pending && isReachable(file, state) {
          state.files[index].setArrival(reader, .present)
          changed = true
        }
      }
      let before = (state.devices[reader].held, state.devices[reader].applied, state.count)
      importAll(reader, &state)
      let after = (state.devices[reader].held, state.devices[reader].applied, state.count)
      if before != after { changed = true }
    }
    return changed
  }

  private func adoptAll(_ state: inout State) -> Bool {
    var changed = false
    for device in 0..<Bound.devices where !state.isLost(device) {
      for stream in 0..<Bound.devices where state.isLost(stream) {
        guard let file = adoption(device, stream, state) else { continue }
        publish(file, &state)
        changed = true
      }
    }
    return changed
  }

  /// The planted fault: an acknowledgement is a transaction, which others must acknowledge.
  private func acknowledgeAll(_ state: inout State) -> Bool {
    guard faults.contains(.ackAcks) else { return false }
    for device in 0..<Bound.devices where !state.isLost(device) {
      let last = state.transaction(device, state.devices[device].applied[device])
      let said = last?.context ?? Vector()
      let seen = state.closed(device)
      let isNews = (0..<Bound.devices).contains { $0 != device && said[$0] < seen[$0] }
      if isNews { return state.append([], by: device, insert: state.count) != nil }
    }
    return false
  }

  /// Everybody rolls up, drops and removes what may be dropped and removed, until nothing changes.
  func compacted(_ start: State) -> State {
    var state = start
    for _ in 0..<12 {
      var changed = false
      for device in 0..<Bound.devices where !state.isLost(device) {
        for stream in 0..<Bound.devices where stream == device || state.isLost(stream) {
          let file =
            rollUp(device, stream, RollUp(isDropping: true), state)
            ?? rollUp(device, stream, RollUp(isDropping: false), state)
          guard let file else { continue }
          publish(file, &state)
          changed = true
        }
        remove(replaceable(device, state), &state)
      }
      state = settled(state)
      state.normalise(keepingSegments: lane.losses > 0)
      if !changed || state.trouble != .none { break }
    }
    return state
  }
}
