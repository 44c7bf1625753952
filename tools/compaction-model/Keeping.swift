/// What becomes of files: old ones, those of lost devices, and those that vanish.
extension Model {
  /// Writes a roll-up; the database of its writer heeds it at once.
  func publish(_ file: LogFile, _ state: inout State) {
    state.add(file)
    let range = state.range(Int(file.stream), Int(file.low), Int(file.high))
    state.devices[Int(file.owner)].held &= ~(range & ~file.carried)
  }

  /// The old files that a later one of the same owner replaces, and that 23 lets go.
  func replaceable(_ device: Int, _ state: State) -> [Int] {
    var result: [Int] = []
    for old in 0..<state.fileCount {
      let file = state.files[old]
      guard Int(file.owner) == device, !file.isRemoved else { continue }
      let isReplaced = (0..<state.fileCount).contains { new in
        new != old && replaces(state.files[new], file, device, state)
      }
      if isReplaced { result.append(old) }
    }
    return result
  }

  private func replaces(_ new: LogFile, _ old: LogFile, _ device: Int, _ state: State) -> Bool {
    guard new.owner == old.owner, new.stream == old.stream, !new.isRemoved else { return false }
    guard new.low <= old.low, new.high >= old.high else { return false }
    let overlap = state.range(Int(old.stream), Int(old.low), Int(old.high))
    guard new.carried & overlap & ~old.carried == 0 else { return false }
    if new.high == old.high && new.low == old.low && new.carried == old.carried { return false }
    if faults.contains(.earlyRemoval) { return true }
    return isAcknowledged(Int(new.stream), Int(new.high), by: device, state)
  }

  func remove(_ indices: [Int], _ state: inout State) {
    for index in indices {
      state.files[index].isRemoved = true
      state.files[index].setArrival(Int(state.files[index].owner), .gone)
    }
  }

  /// An adoption (28) carries the range whole, of a lost device's stream, as far as it is held.
  func adoption(_ device: Int, _ stream: Int, _ state: State) -> LogFile? {
    var high = state.devices[device].applied[stream]
    // Everything held, also what has been declared dropped and is put off here.
    let gone = declared(device, state) & ~state.devices[device].held
    var carried = state.range(stream, 1, high) & ~gone
    if faults.contains(.overHole) {
      for index in 0..<state.fileCount where state.files[index].arrival(device) == .present {
        let file = state.files[index]
        if Int(file.stream) != stream || Int(file.high) <= high { continue }
        high = Int(file.high)
        carried |= file.carried
      }
    }
    if high == 0 || high <= self.high(device, stream, state) { return nil }
    if faults.contains(.adoptLive) { carried &= state.view(of: device).visible }
    if faults.contains(.adoptForgotten) { carried &= state.devices[device].held }
    var file = LogFile()
    file.owner = UInt8(device)
    file.stream = UInt8(stream)
    file.low = 1
    file.high = UInt8(high)
    file.seen = state.devices[device].applied
    file.carried = carried
    file.byDelete = named(device, stream, state) & ~carried
    return file
  }

  /// What statements in the folder call covered by a delete only.
  private func named(_ device: Int, _ stream: Int, _ state: State) -> OpMask {
    var result: OpMask = 0
    for index in 0..<state.fileCount where state.files[index].arrival(device) == .present {
      if Int(state.files[index].stream) == stream { result |= state.files[index].byDelete }
    }
    return result
  }

  /// All of one's files have vanished from the folder and are published again (27).
  func heal(_ device: Int, _ state: inout State) {
    let high = state.devices[device].applied[device]
    let range = state.range(device, 1, high)
    let dropped = declared(device, state) & range
    var file = LogFile()
    file.owner = UInt8(device)
    file.stream = UInt8(device)
    file.low = 1
    file.high = UInt8(high)
    file.seen = state.devices[device].applied
    file.carried = faults.contains(.healDropped) ? range : range & ~dropped
    file.byDelete = named(device, device, state) & ~file.carried
    let own = (0..<state.fileCount).filter {
      Int(state.files[$0].owner) == device && Int(state.files[$0].stream) == device
    }
    remove(own, &state)
    state.heals += 1
    state.add(file)
  }
}
