import CanonicalJSON

// What shows.
extension PlainModel {
  /// What a document shows, and how many conflicts it has.
  package struct Shown: Sendable {
    package var body: JSON?
    package var conflictCount = 0
  }

  /// Rules 10, 11, 14 and 15, applied to the visible values from the root down.
  package func shown() -> Shown {
    var result = Shown()
    if hasUndoneDelete { result.conflictCount += 1 }
    let isInserted = visible.contains { $0.path.isEmpty && $0.isClear }
    if isInserted {
      result.body = node(at: [], among: visible, conflicts: &result.conflictCount)
    }
    // Without its insert a document is listed, not shown.
    if !orphans.isEmpty || !isInserted && !visible.isEmpty { result.conflictCount += 1 }
    return result
  }

  /// What a place can be; of several, the one with the latest value shows.
  private enum Form {
    case register
    case object
    case set
    case counter
  }

  /// Whether all that shows at a path is one counter that comes to a number, and in which
  /// increments are counted that are in no start.
  package func hasCounted(to number: Int128, at path: [ByteString]) -> Bool {
    let values = visible.filter { $0.path.starts(with: path) }
    let counted = values.reduce(into: Set<Counted>()) { $0.formUnion($1.counted) }
    let increments = values.filter { $0.increment != 0 && !counted.contains($0.asCounted) }
    guard !increments.isEmpty,
      values.allSatisfy({ $0.path == path && Self.form(of: $0, at: path) == .counter })
    else { return false }
    let start = Self.latest(values.filter { $0.start != nil })?.start ?? 0
    return start + increments.reduce(0) { $0 + $1.increment } == number
  }

  /// As what a value at or below a path stands there, if it does.
  private static func form(of value: Operation, at path: [ByteString]) -> Form? {
    let isHere = value.path.count == path.count
    switch value.kind {
    case .set: return isHere ? .register : .object
    case .clear: return .object
    case .increment, .start: return isHere ? .counter : .object
    case .emptySet: return isHere ? .set : .object
    // An element says something of the set above it, and nothing of its own path.
    case .add: return isHere ? nil : value.path.count == path.count + 1 ? .set : .object
    case .remove, .delete, .newer: return nil
    }
  }

  private func node(
    at path: [ByteString], among values: [Operation], conflicts: inout Int
  ) -> JSON? {
    var forms: [Form: [Operation]] = [:]
    let counted = values.filter { $0.path == path }.reduce(into: Set()) { $0.formUnion($1.counted) }
    for value in values where value.path != path || !counted.contains(value.asCounted) {
      if let form = Self.form(of: value, at: path) { forms[form, default: []].append(value) }
    }
    guard let newest = Self.latest(forms.values.joined()),
      let winner = forms.first(where: { $0.value.contains { $0.dot == newest.dot } })
    else { return nil }
    var isDisputed = forms.count > 1
    let shown: JSON
    switch winner.key {
    case .object:
      if isDisputed { conflicts += 1 }
      let below = winner.value.filter { $0.path.count > path.count }
      return .object(members(of: path, among: below, conflicts: &conflicts))
    case .register:
      shown = newest.scalar ?? .null
      if winner.value.contains(where: { $0.scalar != shown }) { isDisputed = true }
    case .set:
      let keys = winner.value.filter { $0.path.count > path.count }.map { $0.path[path.count] }
      shown = .array(Set(keys).sorted().compactMap { try? JSON(parsing: $0.bytes) })
    case .counter:
      let starts = winner.value.filter { $0.start != nil }
      if Set(starts.map(\.start)).count > 1 || Set(starts.map(\.mark)).count > 1 {
        isDisputed = true
      }
      let start = Self.latest(starts)?.start ?? 0
      shown = Self.bounded(winner.value.reduce(start) { $0 + $1.increment })
    }
    if isDisputed { conflicts += 1 }
    return shown
  }

  private static func bounded(_ number: Int128) -> JSON {
    if number > Int128(Int64.max) { return JSON(UInt64(min(number, Int128(UInt64.max)))) }
    return .integer(Int64(max(number, Int128(Int64.min))))
  }

  private func members(
    of path: [ByteString], among below: [Operation], conflicts: inout Int
  ) -> JSONObject {
    var object = JSONObject()
    for key in Set(below.map { $0.path[path.count] }) {
      let inside = below.filter { $0.path[path.count] == key }
      object[key] = node(at: path + [key], among: inside, conflicts: &conflicts)
    }
    return object
  }

  private static func latest(_ operations: some Sequence<Operation>) -> Operation? {
    operations.max { $1.isLater(than: $0) }
  }
}
