import CanonicalJSON

/// What takes back what one transaction did to a document, where that still shows.
///
/// Taken back is, path by path, what the transaction changed and nobody has changed since: what
/// showed before it shows again. What somebody has changed since is left alone and named.
///
///     let plan = UndoPlan(of: (stream, 17), events: events, present: body, isForced: false)
package struct UndoPlan: Sendable, Equatable {
  package enum Action: Sendable, Equatable {
    case nothing
    /// The transaction made the document.
    case delete
    /// The transaction deleted it: it comes back whole.
    case restore(JSON)
    /// The new body, and what in it is changed, as an object of the keys.
    case change(JSON, named: JSON)
  }

  package private(set) var action = Action.nothing
  /// What the transaction had changed and others have changed since, sorted; the root stands for
  /// the whole document.
  package private(set) var left: [Path] = []

  /// - parameters:
  ///   - transaction: The one to take back.
  ///   - events: The document's transactions, in any order.
  ///   - present: The document as it is; nil if it is absent.
  ///   - isForced: Whether what has been changed since is taken back, too.
  package init(
    of transaction: (stream: StreamID, sequence: UInt64), events: [DocumentEvent],
    present: JSON?, isForced: Bool
  ) {
    var fold = EventFold()
    var around: (before: EventFold, after: EventFold)?
    var changed: [Path] = []
    var since: Set<Path> = []
    for event in events.sorted(by: DocumentEvent.precedes) {
      let before = fold
      let paths = fold.take(event)
      if event.header.stream == transaction.stream,
        event.header.sequence == transaction.sequence
      {
        around = (before, fold)
        changed = paths
      } else if around != nil {
        since.formUnion(paths)
      }
    }
    guard let around, around.before.isVisible || around.after.isVisible else { return }
    let scene = Scene(
      before: around.before, after: around.after, since: since, present: present,
      isForced: isForced)
    if around.before.isVisible && around.after.isVisible {
      change(changed, in: scene)
    } else {
      appearOrVanish(in: scene)
    }
  }

  /// What the decision rests on.
  fileprivate struct Scene {
    let before: EventFold
    let after: EventFold
    let since: Set<Path>
    let present: JSON?
    let isForced: Bool
  }

  /// The transaction made the document or deleted it.
  private mutating func appearOrVanish(in scene: Scene) {
    let isUntouched = scene.since.isEmpty && scene.present == scene.after.body
    guard isUntouched || scene.isForced else {
      left = [.root]
      return
    }
    if let body = scene.before.body {
      action = .restore(body)
    } else if scene.present != nil {
      action = .delete
    }
  }

  private mutating func change(_ paths: [Path], in scene: Scene) {
    guard let present = scene.present else {
      left = [.root]
      return
    }
    var draft = BodyDraft(present, before: scene.before.body ?? .object(JSONObject()))
    let shown = draft.values
    let untouched = paths.filter { path in
      scene.isForced || shown[path] == scene.after.values[path] && !scene.touched(path)
    }
    left = paths.filter { !untouched.contains($0) }
    for path in untouched where scene.before.values[path] == nil { draft.remove(path) }
    for path in untouched {
      guard let value = scene.before.value(at: path) else { continue }
      if !draft.set(value, at: path, isForced: scene.isForced) { left.append(path) }
    }
    left.sort()
    guard draft.body != present else { return }
    action = .change(draft.body, named: present.differing(from: draft.body))
  }
}

extension UndoPlan.Scene {
  /// Whether a later transaction changed what shows at, above or below `path`.
  fileprivate func touched(_ path: Path) -> Bool {
    since.contains { $0.isAtOrBelow(path) || path.isAtOrBelow($0) }
  }
}

extension EventFold {
  fileprivate func value(at path: Path) -> JSON? {
    values[path] == nil ? nil : body?.member(at: path.keys[...])
  }
}

extension JSON {
  fileprivate func member(at keys: ArraySlice<ByteString>) -> JSON? {
    guard let key = keys.first else { return self }
    guard case .object(let object) = self else { return nil }
    return object[key]?.member(at: keys.dropFirst())
  }
}

/// A body being brought back to what it was, path by path.
private struct BodyDraft {
  private(set) var body: JSON
  /// What tells where there was an object before.
  private let before: JSON

  init(_ body: JSON, before: JSON) {
    self.body = body
    self.before = before
  }

  /// What the body shows, by path.
  var values: ShownValues {
    var values: ShownValues = [:]
    Self.collect(body, at: .root, into: &values)
    return values
  }

  private static func collect(_ value: JSON, at path: Path, into values: inout ShownValues) {
    if case .object(let object) = value, !object.members.isEmpty {
      for (key, member) in object.members {
        collect(member, at: path.appending(key), into: &values)
      }
    } else {
      values[path] = value.canonicalBytes()
    }
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
