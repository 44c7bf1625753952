import CanonicalJSON

/// A body being brought back to what it was, path by path.
struct BodyDraft {
  private(set) var body: JSON
  /// What tells where there was an object before.
  private let before: JSON

  init(_ body: JSON, before: JSON) {
    self.body = body
    self.before = before
  }

  /// What the body shows, by path.
  var values: ShownValues { body.shownValues }

  /// Whether a counter or set may stand at `path`: no object is there, and no other value above.
  func hasRoom(for path: Path) -> Bool {
    var present = body
    for key in path.keys {
      guard case .object(let object) = present else { return false }
      guard let member = object[key] else { return true }
      present = member
    }
    if case .object = present { return false }
    return true
  }

  /// Takes a value away, and the objects around it that have nothing in them and were not there
  /// before.
  mutating func remove(_ path: Path) {
    _ = Self.remove(path.keys[...], from: &body, before: before)
  }

  /// - returns: whether `value` is an object that should go, too.
  private static func remove(
    _ keys: ArraySlice<ByteString>, from value: inout JSON, before: JSON?
  ) -> Bool {
    guard let key = keys.first, case .object(var object) = value, var member = object[key] else {
      return false
    }
    var was: JSON?
    if case .object(let old) = before { was = old[key] }
    if keys.count == 1 {
      object[key] = nil
    } else if remove(keys.dropFirst(), from: &member, before: was) {
      object[key] = nil
    } else {
      object[key] = member
    }
    value = .object(object)
    guard object.members.isEmpty else { return false }
    if case .object = before { return false }
    return true
  }

  /// Puts a value where it was; false where something else stands in the way.
  mutating func set(_ value: JSON, at path: Path, isForced: Bool) -> Bool {
    Self.set(value, at: path.keys[...], in: &body, isForced: isForced)
  }

  private static func set(
    _ value: JSON, at keys: ArraySlice<ByteString>, in present: inout JSON, isForced: Bool
  ) -> Bool {
    guard let key = keys.first else {
      if case .object(let object) = present, !object.members.isEmpty, !isForced { return false }
      present = value
      return true
    }
    var object = JSONObject()
    if case .object(let found) = present {
      object = found
    } else if !isForced {
      return false
    }
    var member = object[key] ?? (keys.count == 1 ? .null : .object(JSONObject()))
    guard set(value, at: keys.dropFirst(), in: &member, isForced: isForced) else { return false }
    object[key] = member
    present = .object(object)
    return true
  }
}

extension JSON {
  /// What it shows as a body, by path.
  package var shownValues: ShownValues {
    var values: ShownValues = [:]
    collect(at: .root, into: &values)
    return values
  }

  private func collect(at path: Path, into values: inout ShownValues) {
    if case .object(let object) = self, !object.members.isEmpty {
      for (key, member) in object.members {
        member.collect(at: path.appending(key), into: &values)
      }
    } else {
      values[path] = canonicalBytes()
    }
  }
}
