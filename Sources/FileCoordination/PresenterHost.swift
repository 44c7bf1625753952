import Dispatch
import Synchronization
import SystemFiles

/// The presenters of this process: asks them on their queues and remembers whom they gave way to.
///
/// It does not own them.
final class PresenterHost: Sendable {
  /// A presenter's record, with the claims that it gave way to.
  typealias Account = (record: PresenterRecord, gaveWayTo: [CoordinationKey])

  private struct Entry {
    /// The presenter's, or that of another that has its place in memory when it is gone.
    let identity: ObjectIdentifier
    weak var presenter: (any FilePresenter)?
    /// How often it was added, and not taken away again.
    var additions = 1
    /// What all wait for who add it.
    let registration: Waiter<Void>
    let queue: DispatchQueue
    /// Where its item is, as the arbiter knows it.
    var path: ItemPath?
    /// Where its item is as far as it knows: it may not have been told of a move yet.
    var believed: ItemPath?
    /// Whether it has moved its item itself, of which it is not told, and has not said to where.
    var hasMoved = false
    /// What to do when each access is over: once for each time that it gave way to it, which a
    /// second arbiter may have asked for again.
    var reacquirers: [CoordinationKey: [@Sendable () -> Void]] = [:]
  }

  /// The entries, found by the presenter as well: there may be many.
  private struct Entries {
    private(set) var all: [CoordinationKey: Entry] = [:]
    /// Of whoever was the last to have a place in memory.
    private var keys: [ObjectIdentifier: CoordinationKey] = [:]

    subscript(key: CoordinationKey) -> Entry? {
      get { all[key] }
      _modify { yield &all[key] }
    }

    /// Looks at no other presenter: one that ends just then would end here, under the lock, and
    /// may take itself away at its end.
    func key(of presenter: any FilePresenter) -> CoordinationKey? {
      guard let key = keyOfPlace(of: presenter), all[key]?.presenter != nil else { return nil }
      return key
    }

    /// That of a presenter that ends, too, or that ended and had its place in memory before it.
    func keyOfPlace(of presenter: any FilePresenter) -> CoordinationKey? {
      keys[ObjectIdentifier(presenter)]
    }

    mutating func add(_ entry: Entry, key: CoordinationKey) {
      all[key] = entry
      keys[entry.identity] = key
    }

    mutating func remove(_ key: CoordinationKey) -> Entry? {
      guard let entry = all.removeValue(forKey: key) else { return nil }
      if keys[entry.identity] == key { keys[entry.identity] = nil }
      return entry
    }
  }

  private let entries = Mutex(Entries())

  private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()

  /// Adds a presenter under a key, to be registered by the caller.
  ///
  /// - returns: for one that has a key already, and keeps it, once more, what its registration
  ///   comes to; and the key of one that ended without being taken away, and is now.
  /// - throws: `CoordinationError.overLimit` where there are as many as an arbiter takes, which
  ///   leaves one more without an answer.
  func add(
    _ presenter: any FilePresenter, key: CoordinationKey, path: ItemPath?,
    _ registration: Waiter<Void>
  ) throws(CoordinationError) -> (first: Waiter<Void>?, ended: CoordinationKey?) {
    let queue = presenter.presentedItemQueue
    queue.setSpecific(key: Self.queueKey, value: ObjectIdentifier(queue))
    // Ends, as in `remove`, not under the lock.
    let ended: (key: CoordinationKey, Entry?)?
    let (first, isFull): (Waiter<Void>?, Bool)
    (first, ended, isFull) = entries.withLock { entries in
      if let known = entries.key(of: presenter) {
        entries[known]?.additions += 1
        return (entries[known]?.registration, nil, false)
      }
      // Nobody could name it any more.
      let ended = entries.keyOfPlace(of: presenter).map { ($0, entries.remove($0)) }
      guard entries.all.count < Arbiter.maximumPresenters else { return (nil, ended, true) }
      let entry = Entry(
        identity: ObjectIdentifier(presenter), presenter: presenter, registration: registration,
        queue: queue, path: path, believed: path)
      entries.add(entry, key: key)
      return (nil, ended, false)
    }
    guard !isFull else { throw .overLimit(path: path?.text ?? "") }
    return (first, ended?.key)
  }

  /// Takes one addition of a presenter back, and with the last one the presenter away: whoever adds
  /// it meanwhile adds it anew.
  ///
  /// One that does so as it ends is not to be had from its entry any more, and goes at once.
  ///
  /// - returns: its key, if that was the last one.
  func takeBack(_ presenter: any FilePresenter) -> CoordinationKey? {
    // Ends, as in `remove`, not under the lock.
    let removed = entries.withLock { entries -> (key: CoordinationKey, Entry)? in
      guard let key = entries.keyOfPlace(of: presenter) else { return nil }
      entries[key]?.additions -= 1
      guard entries[key]?.additions == 0 || entries.key(of: presenter) == nil else { return nil }
      return entries.remove(key).map { (key, $0) }
    }
    return removed?.key
  }

  /// Takes a presenter away.
  func remove(_ key: CoordinationKey) {
    // What it was to do later ends with it, and whatever that kept alive: not under the lock.
    _ = entries.withLock { $0.remove(key) }
  }

  /// Notes where a presenter says that its item is.
  ///
  /// - parameter isThere: whether something is there.
  /// - returns: whether that is news; else it is what it believed before, moved though it may be.
  func note(_ path: ItemPath?, isThere: Bool, saidBy key: CoordinationKey) -> Bool {
    entries.withLock { entries in
      guard var entry = entries[key] else { return false }
      // It has moved away what was there, and made its item anew.
      let isAnew = entry.hasMoved && isThere
      guard entry.believed != path || isAnew else { return false }
      (entry.path, entry.believed, entry.hasMoved) = (path, path, false)
      entries[key] = entry
      return true
    }
  }

  /// A presenter's own access has moved something.
  func noteMove(by key: CoordinationKey, from old: ItemPath, to new: ItemPath) {
    entries.withLock { entries in
      // One that has not been told yet of another move does not know better than the arbiter.
      guard var entry = entries[key], entry.hasMoved || entry.believed == entry.path,
        let moved = entry.path?.moved(from: old, to: new)
      else { return }
      (entry.path, entry.hasMoved) = (moved, true)
      entries[key] = entry
    }
  }

  /// The key of a presenter; nil if it is not registered.
  func key(of presenter: any FilePresenter) -> CoordinationKey? {
    entries.withLock { $0.key(of: presenter) }
  }

  /// Where a presenter's item is, as the arbiter knows it; nil if it is nowhere, or not registered.
  func path(of key: CoordinationKey) -> ItemPath? { entries.withLock { $0[key]?.path } }

  /// The presenters that are alive.
  var all: [any FilePresenter] {
    entries.withLock { entries in entries.all.values.compactMap(\.presenter) }
  }

  func records() -> [Account] {
    entries.withLock { entries in
      entries.all.map { key, entry in
        (PresenterRecord(key: key, path: entry.path), Array(entry.reacquirers.keys))
      }
    }
  }

  /// Whether the calling thread serves the queue of a presenter other than `own`, which could then
  /// not answer.
  func servesPresenter(otherThan own: CoordinationKey?) -> Bool {
    guard let current = DispatchQueue.getSpecific(key: Self.queueKey) else { return false }
    return entries.withLock { entries in
      entries.all.contains { $0.key != own && ObjectIdentifier($0.value.queue) == current }
    }
  }

  /// Asks one question after the other, each on the presenter's queue.
  ///
  /// - parameter answer: called once, with what went wrong.
  func ask(
    _ key: CoordinationKey, _ questions: [PresenterQuestion], for claim: CoordinationKey,
    answer: @escaping @Sendable (String?) -> Void
  ) {
    guard let entry = entries.withLock({ $0[key] }) else { return answer(nil) }
    guard let question = questions.first else { return answer(nil) }
    let rest = Array(questions.dropFirst())
    let next: @Sendable (String?) -> Void = { [self] failure in
      if let failure { return answer(failure) }
      ask(key, rest, for: claim, answer: answer)
    }
    entry.queue.async { [self] in
      // One that is gone has nothing to save.
      guard let presenter = entries.withLock({ $0[key]?.presenter }) else { return next(nil) }
      var context = CoordinationContext()
      context.answering = [claim]
      CoordinationContext.$current.withValue(context) {
        put(question, to: presenter, key, for: claim, next)
      }
    }
  }

  private func put(
    _ question: PresenterQuestion, to presenter: any FilePresenter, _ key: CoordinationKey,
    for claim: CoordinationKey, _ next: @escaping @Sendable (String?) -> Void
  ) {
    let once = Once { [self] in
      // Nobody is left to answer. One that lives is named when its time is up.
      let presenter = entries.withLock { $0[key]?.presenter }
      if presenter == nil { next(nil) }
    }
    let done: @Sendable ((any Error)?) -> Void = { error in
      once.run { next(error.map { "\($0)" }) }
    }
    let gaveWay: @Sendable ((@Sendable () -> Void)?) -> Void = { [self] reacquirer in
      once.run {
        entries.withLock { entries in
          entries[key]?.reacquirers[claim, default: []] += reacquirer.map { [$0] } ?? []
        }
        next(nil)
      }
    }
    switch question {
    case .relinquishToReader: presenter.relinquishPresentedItem(to: .reader, gaveWay)
    case .relinquishToWriter: presenter.relinquishPresentedItem(to: .writer, gaveWay)
    case .saveChanges: presenter.savePresentedItemChanges(done)
    case .accommodateDeletion: presenter.accommodatePresentedItemDeletion(done)
    case .accommodateSubitemDeletion(let path):
      presenter.accommodatePresentedSubitemDeletion(at: path.filePath, done)
    }
  }

  /// Tells a presenter something, on its queue.
  func tell(_ key: CoordinationKey, _ notice: PresenterNotice) {
    if case .didMove(let path) = notice {
      entries.withLock { entries in
        entries[key]?.path = path
        // That one it is told of, so what it says before it has heard is no news.
        entries[key]?.hasMoved = false
      }
    }
    let entry = entries.withLock { $0[key] }
    entry?.queue.async { [self] in
      if case .reacquire(let claim) = notice {
        let reacquirers = entries.withLock { $0[key]?.reacquirers.removeValue(forKey: claim) }
        for reacquirer in reacquirers ?? [] { reacquirer() }
        return
      }
      guard let presenter = entries.withLock({ $0[key]?.presenter }) else { return }
      Self.give(notice, to: presenter)
      if case .didMove(let path) = notice { entries.withLock { $0[key]?.believed = path } }
    }
  }

  private static func give(_ notice: PresenterNotice, to presenter: any FilePresenter) {
    switch notice {
    case .didChange: presenter.presentedItemDidChange()
    case .didMove(let path): presenter.presentedItemDidMove(to: path.filePath)
    case .subitemDidAppear(let path): presenter.presentedSubitemDidAppear(at: path.filePath)
    case .subitemDidChange(let path): presenter.presentedSubitemDidChange(at: path.filePath)
    case .subitemDidMove(let old, let new):
      presenter.presentedSubitem(at: old.filePath, didMoveTo: new.filePath)
    case .version(let event, let id): presenter.presentedItem(event, version: id)
    case .subitemVersion(let event, let path, let id):
      presenter.presentedSubitem(at: path.filePath, event, version: id)
    case .reacquire: break
    }
  }
}

/// Runs something at the first call only; without any, something else when it is let go of.
private final class Once: Sendable {
  private let isDone = Mutex(false)
  private let otherwise: @Sendable () -> Void

  init(otherwise: @escaping @Sendable () -> Void) { self.otherwise = otherwise }

  deinit { run(otherwise) }

  func run(_ body: () -> Void) {
    let isFirst = isDone.withLock { isDone in
      defer { isDone = true }
      return !isDone
    }
    if isFirst { body() }
  }
}
