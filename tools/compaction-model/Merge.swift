/// What a device shows and lists (9 – 13), as sets of operations.
struct View: Equatable {
  /// The values that show or are listed as conflicts.
  var visible: OpMask = 0
  /// Deletes that a concurrent value has undone: listed as conflicts.
  var undone: OpMask = 0
  /// Values whose insert is not here: listed, not shown.
  var homeless: OpMask = 0
}

extension State {
  /// A function of the set of operations alone, and of which inserts have been applied.
  func view(held: OpMask, applied: Vector) -> View {
    var covered: OpMask = 0
    (held & coverers).forEach { covered |= cover(of: $0) }
    let homeless = self.homeless(held & values & ~covered, applied: applied)
    let standing = held & values & ~covered & ~homeless
    let standingDeletes = held & deletes & ~covered
    var deleted: OpMask = 0
    standingDeletes.forEach { deleted |= cover(of: $0) }
    let untouched = standing & ~deleted
    var undone: OpMask = 0
    var taken: OpMask = 0
    standingDeletes.forEach { delete in
      let isUndone = untouched.contains { value in
        seen(by: delete) & .one(value) == 0 && seen(by: value) & .one(delete) == 0
      }
      if isUndone { undone |= .one(delete) } else { taken |= cover(of: delete) }
    }
    return View(visible: standing & ~taken, undone: undone, homeless: homeless)
  }

  private func homeless(_ candidates: OpMask, applied: Vector) -> OpMask {
    var result: OpMask = 0
    candidates.forEach { operation in
      let insert = transactions[Int(transactions[operation >> 2].insert)]
      if Int(insert.sequence) > applied[Int(insert.stream)] { result |= .one(operation) }
    }
    return result
  }

  func view(of device: Int) -> View {
    view(held: devices[device].held, applied: devices[device].applied)
  }

  /// The oracle: the same with everything that has been applied, nothing forgotten or dropped.
  func oracle(_ applied: Vector) -> View {
    view(held: operations(in: applied), applied: applied)
  }

  /// What a write covers leaves the local state at once (12).
  mutating func forget(_ device: Int) {
    let held = devices[device].held
    var covered: OpMask = 0
    (held & coverers).forEach { covered |= cover(of: $0) }
    devices[device].held = held & ~covered
  }

  /// The greatest vector all of whose own contexts, and inserts, have arrived too (4).
  func closed(_ device: Int) -> Vector {
    let applied = devices[device].applied
    var vector = applied
    var changed = true
    while changed {
      changed = false
      for index in 0..<count {
        let item = transactions[index]
        let stream = Int(item.stream)
        guard Int(item.sequence) <= vector[stream] else { continue }
        let insert = transactions[Int(item.insert)]
        let isHome = Int(insert.sequence) <= applied[Int(insert.stream)]
        if !isHome || !vector.contains(item.context) {
          vector[stream] = Int(item.sequence) - 1
          changed = true
        }
      }
    }
    return vector
  }

  /// What shows in a document: at each path the greatest stamp; object and scalar compete (11).
  func shown(_ visible: OpMask) -> (root: Int, a: Int, b: Int, c: Int) {
    let root = (visible & at[Path.root]).top
    if root < 0 { return (-1, -1, -1, -1) }
    let top = (visible & below[Path.a]).top
    let c = (visible & at[Path.c]).top
    if top < 0 { return (root, -1, -1, c) }
    let isScalar =
      transactions[top >> 2].path(top & 3) == Path.a
      && transactions[top >> 2].kind(top & 3) == .set
    if isScalar { return (root, top, -1, c) }
    return (root, (visible & at[Path.a] & ~scalars).top, (visible & at[Path.b]).top, c)
  }

  /// Values that are not objects.
  var scalars: OpMask {
    var result: OpMask = 0
    values.forEach { if transactions[$0 >> 2].kind($0 & 3) == .set { result |= .one($0) } }
    return result
  }
}
