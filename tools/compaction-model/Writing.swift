/// What a user does to the document on one device.
enum Write: Int, CaseIterable {
  case insert = 0
  case setA, setB, setC, removeA, removeC, delete
}

extension Model {
  /// The writes that are possible here, as the local state is (9, 11, 13).
  func writes(_ device: Int, _ state: State) -> [Write] {
    let view = state.view(of: device)
    guard view.visible & state.at[Path.root] != 0, view.undone == 0 else { return [.insert] }
    var result: [Write] = [.setA]
    if lane.hasChild { result.append(.setB) }
    if lane.hasSibling { result.append(.setC) }
    // Removals wait until all that shows is closed; the model lets the user wait.
    let closed = state.operations(in: state.closed(device))
    if view.visible & ~closed == 0 {
      if view.visible & state.below[Path.a] != 0 { result.append(.removeA) }
      if view.visible & state.at[Path.c] != 0 { result.append(.removeC) }
      result.append(.delete)
    }
    return result
  }

  func write(_ write: Write, by device: Int, _ state: inout State) {
    let shown = state.shown(state.view(of: device).visible)
    var operations: [Operation] = []
    switch write {
    case .insert:
      operations = [Operation(kind: .clear, path: Path.root), Operation(kind: .set, path: Path.a)]
      if lane.hasSibling { operations.append(Operation(kind: .set, path: Path.c)) }
    case .setA: operations = [Operation(kind: .set, path: Path.a)]
    case .setC: operations = [Operation(kind: .set, path: Path.c)]
    case .setB:
      let hasObject = shown.b >= 0 || (shown.a >= 0 && state.scalars & .one(shown.a) == 0)
      if !hasObject { operations = [Operation(kind: .clear, path: Path.a)] }
      operations.append(Operation(kind: .set, path: Path.b))
    case .removeA: operations = [Operation(kind: .remove, path: Path.a)]
    case .removeC: operations = [Operation(kind: .remove, path: Path.c)]
    case .delete: operations = [Operation(kind: .delete, path: Path.root)]
    }
    let insert = write == .insert ? state.count : shown.root >> 2
    state.append(operations, by: device, insert: insert)
    state.writes += 1
  }
}

extension State {
  /// A new transaction, applied on its device and written to its folder.
  @discardableResult
  mutating func append(
    _ operations: [Operation], by device: Int, insert: Int, covering: Bool = true
  ) -> Int? {
    guard count < Bound.transactions, fileCount < Bound.files, operations.count <= 4 else {
      trouble = .overflow
      return nil
    }
    var item = Transaction()
    item.stream = UInt8(device)
    item.sequence = UInt8(devices[device].applied[device] + 1)
    item.insert = UInt8(insert)
    item.context = closed(device)
    item.seen = self.operations(in: item.context)
    let index = count
    for (slot, operation) in operations.enumerated() {
      item.put(operation, at: slot)
      enroll(operation, .one(4 * index + slot), covering)
    }
    transactions[index] = item
    count += 1
    devices[device].applied[device] = Int(item.sequence)
    devices[device].held |= range(device, Int(item.sequence), Int(item.sequence))
    forget(device)
    var file = LogFile()
    file.owner = UInt8(device)
    file.stream = UInt8(device)
    file.low = item.sequence
    file.high = item.sequence
    file.carried = range(device, Int(item.sequence), Int(item.sequence))
    add(file)
    return index
  }

  mutating func add(_ file: LogFile) {
    guard fileCount < Bound.files else {
      trouble = .overflow
      return
    }
    var placed = file
    placed.setArrival(Int(file.owner), .present)
    files[fileCount] = placed
    fileCount += 1
  }

  private mutating func enroll(_ operation: Operation, _ mask: OpMask, _ covering: Bool) {
    switch operation.kind {
    case .set, .clear:
      values |= mask
      if covering { coverers |= mask }
    case .remove: coverers |= mask
    case .delete: deletes |= mask
    case .none: break
    }
    at[operation.path] |= mask
    for ancestor in 0..<Bound.paths where Path.isAtOrBelow(operation.path, ancestor) {
      below[ancestor] |= mask
    }
  }
}
