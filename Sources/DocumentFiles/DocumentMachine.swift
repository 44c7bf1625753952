import FileCoordination

/// Decides what an open document does: when it is saved, read again, set aside, closed.
///
/// It does nothing itself: each input returns actions, to be done in their order. What an action
/// comes to is the next input, before the actions that are left. Whatever leaves edits unsaved has
/// the document wake: that keeps it alive, which looking does not.
package struct DocumentMachine: Sendable {
  /// When things are done.
  package struct Pace: Hashable, Sendable {
    /// After so long without an edit, edits are saved.
    package var quiet = Duration.seconds(2)
    /// After so long they are saved even while editing goes on, and tried again after a failure.
    package var limit = Duration.seconds(15)
    /// So long a file may be gone until it counts as deleted: programs replace files in two steps.
    package var absence = Duration.seconds(1)

    /// The pace of documents.
    package init() {}
  }

  package enum Input: Hashable, Sendable {
    case opened(FileStamp, hasConflicts: Bool)
    case edited(at: Duration)
    case woke(at: Duration)
    case saveAsked
    /// `isDurable` is false if it is written and might not survive a power loss.
    case saved(FileStamp, isDurable: Bool)
    case saveFailed
    /// Nothing was tried, since something more urgent came.
    case postponed
    /// Somebody has looked at the file.
    case looked(FileStamp, hasConflicts: Bool)
    /// The file has what it had when it was read or written last, whatever else of it has changed.
    case sameContents(FileStamp, hasConflicts: Bool)
    /// It has something else, or cannot be read.
    case otherContents
    /// Somebody has looked, and it is not there; `isPlanned` if this is what `.look` asked for.
    case missing(at: Duration, isPlanned: Bool)
    /// The folder is away, or cannot be looked at: that says nothing about the file.
    case away(isPlanned: Bool)
    case reloaded(FileStamp, hasConflicts: Bool)
    case reloadFailed
    /// Reading, or setting aside, gave way to something more urgent.
    case followingPostponed
    /// Reading was put off, since whoever waits for this document may have asked others, too.
    case reloadPostponed
    /// What stands there is no such document.
    case unreadable
    /// What it holds is none, for now.
    case unparsable(FileStamp, at: Duration)
    case setAside
    case setAsideFailed
    case deletionAsked
    case kept(String)
    case keepFailed
    case closeAsked
    case revertAsked
  }

  package enum Action: Hashable, Sendable {
    case show(DocumentState)
    case wake(after: Duration)
    case look(after: Duration)
    /// Writes the contents over what is expected there.
    case save(expecting: FileStamp?)
    case reload
    /// Finds out whether the file has what it had, by reading it.
    case compare
    case showContents
    /// Writes the contents as a version of a conflict.
    case setAside
    /// Keeps the contents as a version on this machine.
    case keep
    case end(DocumentClosing)
  }

  /// How often in one save a file is compared whose stamp is another one each time.
  private static let maximumComparisons = 3

  let pace: Pace
  package private(set) var state = DocumentState.closed
  /// What the file was when it was read or written last.
  package private(set) var stamp: FileStamp?
  private var (edits, savedEdits, savingEdits) = (0, 0, 0)
  private var firstEdit: Duration?
  private var lastEdit = Duration.zero
  private var isTimerSet = false
  private var missingSince: Duration?
  private var isAway = false
  private var isClosing = false
  /// An action to save has not come to anything yet.
  private var isSaving = false
  /// How many times the file has been compared since saving began.
  private var comparisons = 0
  /// Edits were given up, or are in a version, and show until the file has been read again.
  package private(set) var isReverting = false
  /// Which edits became versions instead of the file's contents.
  private var versioned: [ClosedRange<Int>] = []
  /// Contents that are no such document, and since when.
  private var unparsable: (stamp: FileStamp, since: Duration)?

  package init(pace: Pace = Pace()) { self.pace = pace }

  /// Whether there are edits that are in no file.
  package var hasUnsavedChanges: Bool { edits != savedEdits }

  /// The number of the last edit; nil if there is none that is in no file.
  package var unsavedEdit: Int? { hasUnsavedChanges ? edits : nil }

  /// Whether an edit, by ``unsavedEdit``, has become a version: it is in the document no more.
  package func isInVersion(_ edit: Int) -> Bool { versioned.contains { $0.contains(edit) } }

  package mutating func input(_ input: Input) -> [Action] {
    if case .opened(let stamp, let hasConflicts) = input {
      guard state == .closed else { return [] }
      self.stamp = stamp
      return show(.normal) + show(conflicts: hasConflicts)
    }
    // What was on its way when it was closed concerns nobody.
    guard state != .closed else { return [] }
    switch input {
    case .opened: return []
    case .edited(let now): return edited(now)
    case .woke(let now): return woke(now)
    case .saveAsked, .saved, .saveFailed, .postponed, .closeAsked: return saving(input)
    case .missing(let now, let isPlanned): return missing(now, isPlanned)
    case .away(let isPlanned): return away(isPlanned)
    case .looked, .sameContents, .otherContents, .reloaded, .reloadFailed, .followingPostponed,
      .reloadPostponed, .unreadable, .unparsable, .setAside, .setAsideFailed, .revertAsked:
      return following(input)
    case .deletionAsked: return delete()
    case .kept(let id):
      noteVersion()
      return end(.deleted(keptAs: id))
    case .keepFailed:
      return show(state.subtracting(.editingDisabled).union(.savingError)) + retry()
    }
  }

  // MARK: Editing and saving

  private mutating func edited(_ now: Duration) -> [Action] {
    edits += 1
    // What shows is what was edited, given up or not.
    isReverting = false
    lastEdit = now
    firstEdit = firstEdit ?? now
    return wake(after: pace.quiet)
  }

  private mutating func woke(_ now: Duration) -> [Action] {
    isTimerSet = false
    guard hasUnsavedChanges else { return [] }
    let due = min(lastEdit + pace.quiet, (firstEdit ?? lastEdit) + pace.limit)
    return now < due ? wake(after: due - now) : save()
  }

  private mutating func wake(after time: Duration) -> [Action] {
    guard !isTimerSet, hasUnsavedChanges else { return [] }
    isTimerSet = true
    return [.wake(after: time)]
  }

  private mutating func retry() -> [Action] {
    (isClosing, isSaving) = (false, false)
    return wake(after: pace.limit)
  }

  private mutating func save() -> [Action] {
    comparisons = 0
    return saveAgain()
  }

  private mutating func saveAgain() -> [Action] {
    (savingEdits, isSaving) = (edits, true)
    return [.save(expecting: stamp)]
  }

  private mutating func saving(_ input: Input) -> [Action] {
    switch input {
    case .saveAsked: return hasUnsavedChanges ? save() : []
    case .closeAsked:
      isClosing = true
      return hasUnsavedChanges ? save() : end(.asked)
    case .saved(let stamp, let isDurable):
      (self.stamp, isSaving) = (stamp, false)
      // What is not surely on the disk is written once more.
      guard isDurable else { return show(state.union(.savingError)) + retry() }
      savedEdits = savingEdits
      firstEdit = hasUnsavedChanges ? lastEdit : nil
      let cleared = show(state.subtracting(.savingError))
      guard isClosing else { return cleared + wake(after: pace.quiet) }
      return cleared + (hasUnsavedChanges ? save() : end(.asked))
    case .postponed:
      (isClosing, isSaving) = (false, false)
      return wake(after: pace.quiet)
    default: return show(state.union(.savingError)) + retry()
    }
  }

  // MARK: Following the file

  private mutating func following(_ input: Input) -> [Action] {
    switch input {
    case .looked(let found, let hasConflicts): return looked(found, hasConflicts)
    case .sameContents(let found, let hasConflicts): return adopt(found, hasConflicts)
    case .otherContents:
      (missingSince, isAway) = (nil, false)
      return follow()
    case .setAside:
      // They are in a version now, and what is in the file shows, even if it is as it was.
      noteVersion()
      (firstEdit, isReverting) = (nil, true)
      return [.reload]
    case .revertAsked:
      isReverting = isReverting || hasUnsavedChanges
      savedEdits = edits
      firstEdit = nil
      return show(state.union(.editingDisabled)) + [.reload]
    case .reloaded(let stamp, let hasConflicts):
      (self.stamp, isReverting, unparsable) = (stamp, false, nil)
      return [.showContents] + show(conflicts: hasConflicts)
        + show(state.subtracting([.editingDisabled, .savingError]))
    case .reloadFailed:
      return show(state.subtracting(.editingDisabled)) + [.look(after: pace.limit)]
    case .followingPostponed:
      return show(state.subtracting(.editingDisabled)) + [.look(after: .zero)]
        + wake(after: pace.quiet)
    // Until then it shows what is in a version by now, which nobody is to go on with.
    case .reloadPostponed: return [.look(after: .zero)]
    // What is unsaved must not go with it: whatever stands there, it is not what was edited.
    case .unreadable: return unreadable()
    case .unparsable(let stamp, let now): return unparsable(stamp, now)
    default:
      return show(state.subtracting(.editingDisabled).union(.savingError)) + retry()
    }
  }

  private mutating func unreadable() -> [Action] {
    isSaving = false
    return hasUnsavedChanges ? delete() : end(.unreadable)
  }

  /// Somebody may be in the middle of writing it in place.
  private mutating func unparsable(_ stamp: FileStamp, _ now: Duration) -> [Action] {
    let since = unparsable.flatMap { $0.stamp == stamp ? $0.since : nil } ?? now
    unparsable = (stamp, since)
    let rest = since + pace.absence - now
    guard rest > .zero else { return unreadable() }
    // What is in a version by now is nothing to go on with.
    return (isReverting ? [] : show(state.subtracting(.editingDisabled)))
      + [.look(after: rest)] + wake(after: pace.quiet)
  }

  private mutating func noteVersion() {
    if savedEdits < edits { versioned.append(savedEdits + 1...edits) }
    savedEdits = edits
  }

  private mutating func looked(_ found: FileStamp, _ hasConflicts: Bool) -> [Action] {
    (missingSince, isAway) = (nil, false)
    guard found != stamp || isReverting else {
      // Whoever wanted to close it was told that it could not be saved.
      (isClosing, isSaving) = (false, false)
      return show(conflicts: hasConflicts) + wake(after: pace.quiet)
    }
    // It may be the same all the same, with another time, or on a file system that was mounted anew
    // and counts files otherwise. What is not edited is just read again.
    if hasUnsavedChanges, !isReverting, comparisons < Self.maximumComparisons {
      comparisons += 1
      return [.compare]
    }
    return follow()
  }

  /// Goes on with a file that only looks as if it were another one.
  private mutating func adopt(_ found: FileStamp, _ hasConflicts: Bool) -> [Action] {
    stamp = found
    let shown = show(conflicts: hasConflicts)
    if isSaving { return shown + saveAgain() }
    comparisons = 0
    return shown + wake(after: pace.quiet)
  }

  /// A file that was written elsewhere wins; edits made here become a version beside it.
  private mutating func follow() -> [Action] {
    (isClosing, isSaving, comparisons) = (false, false, 0)
    return show(state.union(.editingDisabled)) + [hasUnsavedChanges ? .setAside : .reload]
  }

  private mutating func away(_ isPlanned: Bool) -> [Action] {
    // Nobody tells that it is back. What is planned goes on, so one is enough.
    defer { (missingSince, isAway) = (nil, true) }
    // It may stay away for long, with a reading that was put off: nobody waits for that.
    return show(state.subtracting(.editingDisabled))
      + (isAway && !isPlanned ? [] : [.look(after: pace.limit)])
  }

  private mutating func missing(_ now: Duration, _ isPlanned: Bool) -> [Action] {
    (isAway, isClosing, isSaving) = (false, false, false)
    guard let since = missingSince else {
      missingSince = now
      // It may have gone just before it was to be read, and may come back as it was.
      return show(state.subtracting(.editingDisabled)) + [.look(after: pace.absence)]
        + wake(after: pace.quiet)
    }
    let rest = since + pace.absence - now
    guard rest > .zero else { return delete() }
    // In a busy folder others look meanwhile, any number of times: the planned look goes on. That
    // one may come early itself, where its clock ran on while the machine was suspended.
    return show(state.subtracting(.editingDisabled)) + (isPlanned ? [.look(after: rest)] : [])
      + wake(after: pace.quiet)
  }

  private mutating func delete() -> [Action] {
    guard hasUnsavedChanges else { return end(.deleted(keptAs: nil)) }
    // An edit made while they are written would be in none.
    return show(state.union(.editingDisabled)) + [.keep]
  }

  // MARK: State

  private mutating func show(_ new: DocumentState) -> [Action] {
    guard state != new else { return [] }
    state = new
    return [.show(new)]
  }

  private mutating func show(conflicts: Bool) -> [Action] {
    guard conflicts != state.contains(.inConflict) else { return [] }
    guard conflicts else { return show(state.subtracting(.inConflict)) }
    let wasDisabled = state.contains(.editingDisabled)
    return show(state.union(.editingDisabled)) + show(state.union([.editingDisabled, .inConflict]))
      + (wasDisabled ? [] : show(state.subtracting(.editingDisabled)))
  }

  private mutating func end(_ closing: DocumentClosing) -> [Action] {
    show(.closed) + [.end(closing)]
  }
}
