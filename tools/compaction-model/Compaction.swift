/// Acknowledgement (19), dropping (21), roll-ups (22), old files (23), adoption (28).
extension Model {
  /// The most that `observer` can know that `author` has seen.
  ///
  /// An acknowledgement counts up to the
  /// author's own transactions that the observer has applied; the latest such one is the context of
  /// the author's next transaction, or what is closed there now. So records need no states of their
  /// own, and whatever a late one would allow less is found as a roll-up made earlier.
  func acknowledged(_ author: Int, to observer: Int, _ state: State) -> Vector {
    let applied = state.devices[observer].applied[author]
    if applied == state.devices[author].applied[author] || faults.contains(.ackUnapplied) {
      return state.closed(author)
    }
    return state.transaction(author, applied + 1)?.context ?? Vector()
  }

  func isAcknowledged(_ stream: Int, _ sequence: Int, by observer: Int, _ state: State) -> Bool {
    if faults.contains(.noAck) { return true }
    for author in 0..<Bound.devices where author != observer {
      if state.devices[observer].live >> UInt8(author) & 1 == 0 { continue }
      if acknowledged(author, to: observer, state)[stream] < sequence { return false }
    }
    return true
  }

  /// What has been declared dropped, read off the segments in this device's folder.
  func declared(_ device: Int, _ state: State) -> OpMask {
    var result: OpMask = 0
    for index in 0..<state.fileCount where state.files[index].arrival(device) == .present {
      let file = state.files[index]
      if Int(file.owner) == device && file.isRemoved { continue }
      if Int(file.low) > state.devices[device].applied[Int(file.stream)] + 1 { continue }
      result |= state.range(Int(file.stream), Int(file.low), Int(file.high)) & ~file.carried
    }
    return result
  }

  /// What 21 lets a device drop of a range, and which of it only a delete covers.
  func droppable(_ range: OpMask, _ device: Int, _ state: State) -> (all: OpMask, byDelete: OpMask)
  {
    let held = state.devices[device].held
    var gone = declared(device, state)
    if amendments.contains(.goneHere) { gone &= ~held }
    let undone = state.view(of: device).undone
    var byWrite: OpMask = 0
    var byDelete: OpMask = 0
    (held & (state.coverers | state.deletes & ~undone)).forEach { operation in
      let item = state.transactions[operation >> 2]
      let isKnown = isAcknowledged(Int(item.stream), Int(item.sequence), by: device, state)
      if !isKnown { return }
      let cover = state.cover(of: operation) & range
      if state.coverers & .one(operation) != 0 { byWrite |= cover } else { byDelete |= cover }
    }
    var written: OpMask = 0
    (held & state.coverers).forEach { written |= state.cover(of: $0) }
    var strict: OpMask = 0
    (byDelete & ~byWrite).forEach { operation in
      let isFree = state.cover(of: operation) & ~gone == 0
      if isFree || faults.contains(.looseB) { strict |= .one(operation) }
    }
    var spent: OpMask = 0
    (range & (state.deletes | state.coverers & ~state.values)).forEach { operation in
      let rest = faults.contains(.notHeldIsDropped) ? held : ~gone
      let item = state.transactions[operation >> 2]
      let isKnown =
        !amendments.contains(.spentSeen)
        || isAcknowledged(Int(item.stream), Int(item.sequence), by: device, state)
      if isKnown && state.cover(of: operation) & rest == 0 { spent |= .one(operation) }
    }
    return (byWrite | strict | spent, strict & ~spent & ~written)
  }

  /// The ranges that a device may roll up: its own stream, and those it adopted.
  func high(_ device: Int, _ stream: Int, _ state: State) -> Int {
    var result = 0
    for index in 0..<state.fileCount {
      let file = state.files[index]
      if Int(file.owner) == device && Int(file.stream) == stream && !file.isRemoved {
        result = max(result, Int(file.high))
      }
    }
    return result
  }

  /// A roll-up of what the device has published of a stream: all of it, or in the deep mode a part;
  /// nil if it would say nothing new.
  func rollUp(_ device: Int, _ stream: Int, _ choice: RollUp, _ state: State) -> LogFile? {
    let low = 1 + choice.skipped
    let high = high(device, stream, state) - choice.left
    if high < low { return nil }
    let range = state.range(stream, low, high)
    let gone = declared(device, state) & range & ~state.devices[device].held
    let fresh =
      choice.isDropping
      ? droppable(range & ~gone, device, state) : (all: 0, byDelete: 0)
    let dropped = fresh.all & range & ~gone
    var named: OpMask = 0
    var files = 0
    for index in 0..<state.fileCount {
      let file = state.files[index]
      guard Int(file.owner) == device, Int(file.stream) == stream, !file.isRemoved else { continue }
      guard Int(file.low) <= high, Int(file.high) >= low else { continue }
      named |= file.byDelete & range
      files += 1
    }
    if dropped == 0 && (choice.isDropping || files < 2) { return nil }
    var file = LogFile()
    file.owner = UInt8(device)
    file.stream = UInt8(stream)
    file.low = UInt8(low)
    file.high = UInt8(high)
    file.seen = state.devices[device].applied
    file.carried = range & ~gone & ~dropped
    file.byDelete = named | fresh.byDelete & dropped
    return file
  }
}

/// Which roll-up: whether it drops, and which part of the stream it leaves alone.
struct RollUp {
  var isDropping = true
  var skipped = 0
  var left = 0

  var packed: Int { (isDropping ? 1 : 0) | skipped << 1 | left << 4 }
  init(isDropping: Bool, skipped: Int = 0, left: Int = 0) {
    self.isDropping = isDropping
    self.skipped = skipped
    self.left = left
  }
  init(packed: UInt8) {
    isDropping = packed & 1 == 1
    skipped = Int(packed >> 1 & 7)
    left = Int(packed >> 4 & 7)
  }
}
