/// One step of one part of the world.
enum ActionKind: UInt8 {
  case write = 0
  case deliver, erase, rollUp, removeOld, horizon, lose, adopt, heal
}

struct Action {
  var kind: ActionKind
  var first: UInt8 = 0
  var second: UInt8 = 0
  var third: UInt8 = 0

  var packed: UInt32 {
    UInt32(kind.rawValue) << 24 | UInt32(first) << 16 | UInt32(second) << 8 | UInt32(third)
  }
  init(_ kind: ActionKind, _ first: Int, _ second: Int = 0, _ third: Int = 0) {
    self.kind = kind
    self.first = UInt8(first)
    self.second = UInt8(second)
    self.third = UInt8(third)
  }
  init(packed: UInt32) {
    kind = ActionKind(rawValue: UInt8(packed >> 24)) ?? .write
    first = UInt8(packed >> 16 & 255)
    second = UInt8(packed >> 8 & 255)
    third = UInt8(packed & 255)
  }
}

extension Model {
  /// Everything that may happen next.
  func actions(_ state: State) -> [Action] {
    var result: [Action] = []
    addDeliveries(state, &result)
    for device in 0..<Bound.devices where !state.isLost(device) {
      addWrites(device, state, &result)
      addKeeping(device, state, &result)
      addAbsences(device, state, &result)
    }
    return result
  }

  private func addDeliveries(_ state: State, _ result: inout [Action]) {
    for index in 0..<state.fileCount {
      for reader in 0..<Bound.devices where !state.isLost(reader) {
        let file = state.files[index]
        if reader == Int(file.owner) { continue }
        let arrival = file.arrival(reader)
        if arrival == .pending && isReachable(file, state) {
          result.append(Action(.deliver, index, reader))
        }
        if file.isRemoved && arrival != .gone { result.append(Action(.erase, index, reader)) }
      }
    }
  }

  /// A lost device's files come only from where they have come to.
  func isReachable(_ file: LogFile, _ state: State) -> Bool {
    if !state.isLost(Int(file.owner)) { return true }
    for device in 0..<Bound.devices where !state.isLost(device) {
      if file.arrival(device) == .present { return true }
    }
    return false
  }

  private func addWrites(_ device: Int, _ state: State, _ result: inout [Action]) {
    guard state.writes < lane.writes else { return }
    if !lane.script.isEmpty {
      let next = lane.script[Int(state.writes)]
      if next.device == device && writes(device, state).contains(next.write) {
        result.append(Action(.write, device, next.write.rawValue))
      }
      return
    }
    // The first write is an insert, and anybody's but the traveller's: the devices are alike.
    if state.count == 0 && device != 0 && !(isSpecial && device == 2) { return }
    for write in writes(device, state) {
      result.append(Action(.write, device, write.rawValue))
    }
  }

  private var isSpecial: Bool { lane.horizons > 0 || lane.losses > 0 }

  private func addKeeping(_ device: Int, _ state: State, _ result: inout [Action]) {
    for stream in 0..<Bound.devices where stream == device || state.isLost(stream) {
      guard state.rollUps < lane.rollUps else { break }
      addRollUps(device, stream, state, &result)
    }
    if !replaceable(device, state).isEmpty { result.append(Action(.removeOld, device)) }
    for stream in 0..<Bound.devices where state.isLost(stream) {
      if adoption(device, stream, state) != nil { result.append(Action(.adopt, device, stream)) }
    }
    if state.heals < lane.heals && state.devices[device].applied[device] > 0 {
      if declared(device, state) & state.range(device, 1, 15) != 0 {
        result.append(Action(.heal, device))
      }
    }
  }

  private func addRollUps(
    _ device: Int, _ stream: Int, _ state: State, _ result: inout [Action]
  ) {
    let high = high(device, stream, state)
    for skipped in 0..<(lane.hasRanges ? max(high, 1) : 1) {
      for left in 0..<(lane.hasRanges ? max(high - skipped, 1) : 1) {
        for isDropping in lane.hasPlainRollUps ? [true, false] : [true] {
          let choice = RollUp(isDropping: isDropping, skipped: skipped, left: left)
          if rollUp(device, stream, choice, state) == nil { continue }
          result.append(Action(.rollUp, device, stream, choice.packed))
        }
      }
    }
  }

  /// Only C travels, and only C is lost.
  private func addAbsences(_ device: Int, _ state: State, _ result: inout [Action]) {
    guard device != 2, state.count > 0 else { return }
    let isLive = state.devices[device].live >> 2 & 1 == 1
    if isLive && state.horizons < lane.horizons { result.append(Action(.horizon, device, 2)) }
    if device == 0 && lane.losses > 0 && state.lost == 0 { result.append(Action(.lose, 2)) }
  }

  /// The state after an action.
  func step(_ action: Action, _ before: State) -> State {
    var state = before
    let first = Int(action.first)
    let second = Int(action.second)
    switch action.kind {
    case .write: write(Write(rawValue: second) ?? .insert, by: first, &state)
    case .deliver:
      state.files[first].setArrival(second, .present)
      importAll(second, &state)
    case .erase: erase(first, second, &state)
    case .rollUp:
      if let file = rollUp(first, second, RollUp(packed: action.third), state) {
        publish(file, &state)
        state.rollUps += 1
      }
    case .removeOld: remove(replaceable(first, state), &state)
    case .horizon:
      state.devices[first].live &= ~(1 << action.second)
      state.horizons += 1
    case .lose: state.lost |= 1 << action.first
    case .adopt: if let file = adoption(first, second, state) { publish(file, &state) }
    case .heal: heal(first, &state)
    }
    state.normalise(keepingSegments: lane.losses > 0 || faults.contains(.earlyRemoval))
    return state
  }

  /// A deletion arrives.
  ///
  /// It must not take away what only files outside their author's hold.
  private func erase(_ index: Int, _ reader: Int, _ state: inout State) {
    let file = state.files[index]
    let before = held(outside: Int(file.stream), state)
    state.files[index].setArrival(reader, .gone)
    let after = held(outside: Int(file.stream), state)
    let isFull = state.devices[0].live & state.devices[1].live & state.devices[2].live == 7
    if isFull && state.heals == 0 && before & ~after != 0 { state.trouble = .lastCopy }
  }

  /// What devices other than its author have of a stream, in their databases or in their folders.
  private func held(outside stream: Int, _ state: State) -> OpMask {
    var result: OpMask = 0
    for device in 0..<Bound.devices where device != stream {
      result |= state.operations(in: state.devices[device].applied)
      for index in 0..<state.fileCount where state.files[index].arrival(device) == .present {
        result |= state.files[index].carried
      }
    }
    return result & state.range(stream, 1, 15)
  }
}
