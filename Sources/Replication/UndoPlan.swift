import CanonicalJSON

/// What takes back what one transaction did to a document, where that still shows.
///
/// Taken back is, path by path, what the transaction changed and nobody has changed since: what
/// showed before it shows again. What somebody has changed since is left alone and named.
///
/// An increment is taken back by the opposite one, and elements of a set are taken out or put back,
/// whatever others have done to the counter or set since; an increment only once, however often
/// that is asked for, and an element only where nobody else has added or removed it, too.
///
///     let plan = UndoPlan(
///       of: tip, events: events, lineage: lineage, present: view, isForced: false)
package struct UndoPlan: Sendable {
  package enum Action: Sendable {
    case nothing
    /// The transaction made the document.
    case delete
    /// The transaction deleted it: it comes back whole.
    case restore(JSON, Restoration)
    /// The new body, and what in it is changed, as an object of the keys.
    case change(JSON, named: JSON, Restoration)
  }

  package private(set) var action = Action.nothing
  /// What is to be done to counters and sets after that: it meets what others have done since.
  package private(set) var edits: [Path: KindEdit] = [:]
  /// What the transaction had changed and others have changed since, sorted; the root stands for
  /// the whole document.
  package private(set) var left: [Path] = []
  /// Whether what the document was like before is known in part only.
  package private(set) var isBlind = false

  /// - parameters:
  ///   - transaction: The one to take back.
  ///   - events: The document's transactions, in any order.
  ///   - lineage: What is held of the streams, to tell their branches apart.
  ///   - present: The document as it is.
  ///   - waiting: The removals that wait here: what they take away comes back by nothing, since
  ///     they are yet to be told to anybody.
  ///   - isForced: Whether what has been changed since is taken back, too.
  package init(
    of transaction: Context.Entry, events: [DocumentEvent],
    lineage: Lineage?, present: DocumentView,
    waiting: [DocumentState.PendingRemoval] = [], isForced: Bool
  ) {
    var fold = EventFold(lineage: lineage)
    var around: (before: EventFold, after: EventFold)?
    var target: DocumentEvent?
    var changed: [Path] = []
    var aftermath: UndoAftermath?
    for event in events.sorted(by: DocumentEvent.precedes) {
      // A copy makes the next change cost as much as the whole.
      let before = event.header.tip == transaction ? fold : nil
      let paths = fold.take(event)
      if let before {
        around = (before, fold)
        target = event
        changed = paths
        aftermath = UndoAftermath(of: event)
      } else {
        let hasSeen = target.map { fold.hasSeen(event, $0) } ?? false
        aftermath?.note(event, changing: paths, hasSeen: hasSeen)
      }
    }
    fold.settle()
    guard let around, let target, let aftermath,
      around.before.isVisible || around.after.isVisible
    else { return }
    let state = fold.state
    let end = state.uncovered.map { state.entries[$0] }
    let scene = Scene(
      event: target, before: around.before, after: around.after, end: end,
      since: aftermath, present: present.json, presentKinds: present.shownKinds,
      isForced: isForced)
    if around.before.isVisible && around.after.isVisible {
      change(changed, in: scene)
      leave(
        waiting.map(\.path).filter { path in
          target.steps.contains {
            path.isAtOrBelow($0.effect.path) && $0.effect.kind.cover == .path
          }
        })
    } else {
      appearOrVanish(in: scene)
    }
  }

  private mutating func leave(_ paths: [Path]) { left = Set(left + paths).sorted() }

  /// What the decision rests on.
  fileprivate struct Scene {
    let event: DocumentEvent
    /// What the event adds to counters.
    let increments: [Path: Int128]
    let before: EventFold
    let after: EventFold
    let beforeBody: JSON?
    let afterBody: JSON?
    /// What stands at the end.
    let end: [DocumentState.Entry]
    /// Of that, the increments that count.
    let counting: Set<Stamp>
    let since: UndoAftermath
    let present: JSON?
    let presentKinds: [Path: ReplicatedKind]
    let isForced: Bool

    init(
      event: DocumentEvent, before: EventFold, after: EventFold, end: [DocumentState.Entry],
      since: UndoAftermath, present: JSON?, presentKinds: [Path: ReplicatedKind], isForced: Bool
    ) {
      self.event = event
      increments = event.increments
      (self.before, self.after, self.end) = (before, after, end)
      (beforeBody, afterBody) = (before.body, after.body)
      let counted = end.countedIncrements
      counting = Set(
        end.filter { $0.effect.kind == .increment && !counted.has($0) }.map(\.stamp))
      self.since = since
      self.present = present
      self.presentKinds = presentKinds
      self.isForced = isForced
    }
  }

  /// The transaction made the document or deleted it.
  private mutating func appearOrVanish(in scene: Scene) {
    let isUntouched = scene.since.changed.isEmpty && scene.present == scene.afterBody
    guard isUntouched || scene.isForced else {
      left = [.root]
      return
    }
    if let body = scene.beforeBody {
      action = .restore(body, scene.before.restoration(at: [.root]))
    } else if scene.present != nil {
      action = .delete
      isBlind = scene.before.isStump
    }
  }

  private mutating func change(_ paths: [Path], in scene: Scene) {
    guard let present = scene.present else {
      left = [.root]
      return
    }
    var draft = BodyDraft(present, before: scene.beforeBody ?? .object(JSONObject()))
    let shown = draft.values
    var plain: [Path] = []
    for path in paths {
      let isUntouched = shown[path] == scene.after.values[path] && !scene.touched(path)
      if let edit = scene.edit(at: path, isUntouched: isUntouched) {
        edits[path] = edit.kind
        if !edit.isWhole && !scene.isForced { left.append(path) }
      } else if isUntouched || scene.isForced {
        plain.append(path)
      } else {
        left.append(path)
      }
    }
    restore(plain, in: scene, draft: &draft)
    // Where a value is back, what stood in its place went with that.
    edits = edits.filter { draft.hasRoom(for: $0.key) }
    left.sort()
    guard draft.body != present else { return }
    action = .change(
      draft.body, named: present.differing(from: draft.body),
      scene.before.restoration(at: Set(plain)))
  }

  private mutating func restore(_ paths: [Path], in scene: Scene, draft: inout BodyDraft) {
    for path in paths where scene.before.values[path] == nil { draft.remove(path) }
    for path in paths {
      guard let value = scene.old(at: path) else { continue }
      if !draft.set(value, at: path, isForced: scene.isForced) { left.append(path) }
    }
  }
}

extension UndoPlan.Scene {
  /// An edit of a counter or set.
  fileprivate struct Edit {
    /// Nil if nothing is left to do.
    let kind: KindEdit?
    /// Whether it takes back all that was done.
    let isWhole: Bool
  }

  /// What takes back what was done to a counter or set, as such; nil where that is not what was
  /// done, or not what shows now.
  fileprivate func edit(at path: Path, isUntouched: Bool) -> Edit? {
    // Untouched, and made by the transaction: it goes as a whole.
    guard !(isUntouched && before.values[path] == nil) else { return nil }
    let kind = after.kinds[path]
    guard let kind, presentKinds[path] == kind else { return nil }
    switch kind {
    case .counter: return countedBack(at: path)
    case .set:
      guard before.kinds[path] == .set, let old = old(at: path).flatMap({ SetElement.all(in: $0) }),
        let new = new(at: path).flatMap({ SetElement.all(in: $0) })
      else { return nil }
      return exchanged(added: new.subtracting(old), removed: old.subtracting(new), at: path)
    }
  }

  /// Puts back and takes out the elements that nobody else has dealt with.
  private func exchanged(
    added: Set<SetElement>, removed: Set<SetElement>, at path: Path
  ) -> Edit {
    guard !isForced else {
      return Edit(kind: .elements(adding: removed, removing: added), isWhole: true)
    }
    let adding = removed.filter { !since.hasWritten(at: path.appending($0.key)) }
    let others = Set(
      end.filter { entry in
        entry.effect.kind == .add && entry.stamp != event.header.stamp(Int(entry.stamp.dot.index))
      }.map(\.effect.path))
    let removing = added.filter { !others.contains(path.appending($0.key)) }
    let shown =
      present.flatMap { $0.member(at: path.keys[...]) }
      .flatMap { SetElement.all(in: $0) } ?? []
    // What is as it was anyway is not left.
    let isWhole =
      removed.subtracting(adding).isSubset(of: shown)
      && added.subtracting(removing).isDisjoint(with: shown)
    return Edit(kind: .elements(adding: adding, removing: removing), isWhole: isWhole)
  }

  /// What showed at a path before the event, if it was no object with members.
  fileprivate func old(at path: Path) -> JSON? {
    before.values[path] == nil ? nil : beforeBody?.member(at: path.keys[...])
  }

  private func new(at path: Path) -> JSON? {
    after.values[path] == nil ? nil : afterBody?.member(at: path.keys[...])
  }

  /// The opposite of the increments, if all of them still count.
  private func countedBack(at path: Path) -> Edit? {
    let steps = event.steps.filter {
      $0.effect.path == path && $0.effect.kind == .increment
    }
    guard let sum = increments[path], let amount = Int64(exactly: -sum),
      steps.allSatisfy({ counting.contains(event.stamp(of: $0)) })
    else { return nil }
    // What it wrote besides, such as a start, the opposite does not take back.
    let old = old(at: path).map { CounterAmount.integer(in: $0) } ?? 0
    guard let old, let new = new(at: path).flatMap({ CounterAmount.integer(in: $0) }),
      new - old == sum
    else { return nil }
    let isTakenBack = since.takenBack.contains(path)
    return Edit(kind: isTakenBack ? nil : .increment(amount), isWhole: !isTakenBack)
  }

  /// Whether a later transaction changed what shows at, above or below `path`.
  fileprivate func touched(_ path: Path) -> Bool {
    since.changed.contains { $0.isAtOrBelow(path) || path.isAtOrBelow($0) }
  }
}

extension EventFold {
  /// What it shows at some paths, as what to bring back.
  fileprivate func restoration(at paths: Set<Path>) -> Restoration {
    let kinds = paths.contains(.root) ? kinds : kinds.filter { paths.contains($0.key) }
    let counters = Set(kinds.filter { $0.value == .counter }.keys)
    return Restoration(paths, kinds: kinds, counts: state.countBases(at: counters))
  }
}

extension JSON {
  fileprivate func member(at keys: ArraySlice<ByteString>) -> JSON? {
    guard let key = keys.first else { return self }
    guard case .object(let object) = self else { return nil }
    return object[key]?.member(at: keys.dropFirst())
  }
}
