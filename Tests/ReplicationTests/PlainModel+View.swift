import CanonicalJSON

extension PlainModel {
  /// What a document shows, and how many conflicts it has.
  struct Shown {
    var body: JSON?
    var conflictCount = 0
  }

  /// Rules 10, 11, 14 and 15, applied to the visible values from the root down.
  func shown() -> Shown {
    var result = Shown()
    let values = visible
    if hasUndoneDelete { result.conflictCount += 1 }
    if values.contains(where: { $0.path.isEmpty && $0.isClear }) {
      result.body = node(at: [], among: values, conflicts: &result.conflictCount)
    } else if !values.isEmpty {
      // Without its insert a document is listed, not shown.
      result.conflictCount += 1
    }
    return result
  }

  private func node(
    at path: [ByteString], among values: [Operation], conflicts: inout Int
  ) -> JSON? {
    var forms: [Form: [Operation]] = [:]
    for value in values {
      if let form = Self.form(of: value, at: path) { forms[form, default: []].append(value) }
    }
    guard let newest = Self.latest(forms.values.joined()),
      let winner = forms.first(where: { $0.value.contains { $0.dot == newest.dot } })
    else { return nil }
    var isDisputed = forms.count > 1
    var shown: JSON
    switch winner.key {
    case .register:
      shown = newest.scalar ?? .null
      if winner.value.contains(where: { $0.scalar != shown }) { isDisputed = true }
    case .object:
      let below = winner.value.filter { $0.path.count > path.count }
      if isDisputed { conflicts += 1 }
      return .object(members(of: path, among: below, conflicts: &conflicts))
    case .set:
      let texts = winner.value.filter { $0.path.count > path.count }.map { $0.path[path.count] }
      shown = .array(Set(texts).sorted().compactMap { try? JSON(parsing: $0.bytes) })
    case .counter:
      let starts = winner.value.filter { $0.start != nil }
      if Set(starts.map(\.start)).count > 1 { isDisputed = true }
      let start = Self.latest(starts)?.start ?? 0
      shown = Self.bounded(winner.value.reduce(start) { $0 + $1.increment })
    }
    if isDisputed { conflicts += 1 }
    return shown
  }

  private enum Form {
    case register
    case object
    case set
    case counter
  }

  /// As what a value at or below a path stands there, if it does.
  private static func form(of value: Operation, at path: [ByteString]) -> Form? {
    let isHere = value.path.count == path.count
    switch value.kind {
    case .set: return isHere ? .register : .object
    case .clear: return .object
    case .increment, .start: return isHere ? .counter : .object
    case .emptySet: return isHere ? .set : .object
    // What an `add` says of its own path, the node above it knows.
    case .add: return isHere ? nil : value.path.count == path.count + 1 ? .set : .object
    case .remove, .delete, .newer: return nil
    }
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
    var result: Operation?
    for operation in operations {
      if let best = result, best.isLater(than: operation) { continue }
      result = operation
    }
    return result
  }
}

extension PlainModel.Operation {
  fileprivate var start: Int128? { if case .start(let number) = kind { number } else { nil } }
  fileprivate var increment: Int128 {
    if case .increment(let amount) = kind { Int128(amount) } else { 0 }
  }
}

extension JSON {
  /// The value at a path of keys; nil where there is none.
  func value(at path: [ByteString]) -> JSON? {
    var value = self
    for key in path {
      guard case .object(let object) = value, let member = object[key] else { return nil }
      value = member
    }
    return value
  }

  var isObject: Bool { if case .object = self { true } else { false } }
  var elements: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
}
