import CanonicalJSON

extension PlainModel {
  /// What a document shows, and how many conflicts it has.
  struct Shown {
    var body: JSON?
    var conflictCount = 0
  }

  /// Rules 10 and 11, applied to the visible values from the root down.
  func shown() -> Shown {
    var result = Shown()
    if hasUndoneDelete { result.conflictCount += 1 }
    if visible.contains(where: { $0.path.isEmpty && $0.scalar == nil }) {
      result.body = node(at: [], among: visible, conflicts: &result.conflictCount)
    } else if !visible.isEmpty {
      // Without its insert a document is listed, not shown.
      result.conflictCount += 1
    }
    return result
  }

  private func node(
    at path: [ByteString], among values: [Operation], conflicts: inout Int
  ) -> JSON? {
    let here = values.filter { $0.path.count == path.count }
    let below = values.filter { $0.path.count > path.count }
    let scalars = here.filter { $0.scalar != nil }
    let objects = here.filter { $0.scalar == nil } + below
    guard let newest = Self.latest(values) else { return nil }
    guard let shownScalar = Self.latest(scalars), let value = shownScalar.scalar,
      newest.dot == shownScalar.dot
    else {
      // The object is the newest; a scalar that stands beside it loses.
      if !scalars.isEmpty { conflicts += 1 }
      return .object(members(of: path, among: below, conflicts: &conflicts))
    }
    if !objects.isEmpty || scalars.contains(where: { $0.scalar != value }) { conflicts += 1 }
    return value
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

  private static func latest(_ operations: [Operation]) -> Operation? {
    var result: Operation?
    for operation in operations {
      if let best = result, best.isLater(than: operation) { continue }
      result = operation
    }
    return result
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
}
