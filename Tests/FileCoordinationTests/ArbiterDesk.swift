import FileCoordination
import SystemFiles
import Testing

/// An arbiter with made-up processes and a clock that the test advances; nothing else is real.
final class ArbiterDesk {
  var arbiter = Arbiter(process: CoordinatingProcess(id: 1, name: "arbiter"))
  var now: Duration = .seconds(1)
  /// Whatever was said to each process, in order.
  var said: [UInt64: [ArbiterMessage]] = [:]
  private var nextNumber: UInt64 = 0

  /// Greets for processes 1, 2, ….
  init(members: UInt64 = 4) {
    for member in 1...members { greet(member) }
  }

  /// Greets for a process, which has these presenters by now.
  func greet(_ member: UInt64, presenting presenters: [CoordinationKey: String] = [:]) {
    let process = CoordinatingProcess(id: Int32(100 + member), name: "process\(member)")
    say(.hello(member: member, process), from: member)
    for (key, path) in presenters {
      let record = PresenterRecord(key: key, path: ItemPath(bytes: Array(path.utf8)))
      say(.present(record, gaveWayTo: []), from: member)
    }
    say(.ready, from: member)
  }

  func say(_ message: MemberMessage, from member: UInt64) {
    input(.message(from: member, message))
  }

  func input(_ input: Arbiter.Input) {
    for case .send(let member, let message) in arbiter.input(input, now: now) {
      said[member, default: []].append(message)
    }
  }

  /// Lets time pass, and wakes the arbiter whenever it asked for that.
  func advance(by duration: Duration) {
    let end = now + duration
    while let next = arbiter.nextDeadline, next <= end {
      now = max(now, next)
      input(.time)
    }
    now = end
  }

  func key(_ member: UInt64) -> CoordinationKey {
    nextNumber += 1
    return CoordinationKey(member: member, number: nextNumber)
  }

  static func path(_ text: String) throws -> ItemPath {
    try #require(ItemPath(bytes: Array(text.utf8)))
  }

  /// Makes a claim, and returns its key.
  @discardableResult
  func claim(
    _ member: UInt64, _ items: (String, ClaimedItem.Options)..., purpose: String? = nil,
    presenter: CoordinationKey? = nil, isBatch: Bool = false, parents: [CoordinationKey] = [],
    answering: [CoordinationKey] = [], timeout: Duration? = nil, patience: Duration = .seconds(5)
  ) throws -> CoordinationKey {
    let key = key(member)
    let items = try items.map { ClaimedItem(try Self.path($0.0), $0.1) }
    let request = ClaimRequest(
      key: key, purpose: purpose ?? "own \(key.number)", presenter: presenter, items: items,
      isBatch: isBatch, parents: parents, answering: answering, since: now,
      deadline: timeout.map { now + $0 }, patience: patience)
    say(.claim(request, isHeld: false), from: member)
    return key
  }

  func read(_ member: UInt64, _ path: String) throws -> CoordinationKey {
    try claim(member, (path, []))
  }

  func write(
    _ member: UInt64, _ path: String, _ options: ClaimedItem.Options = []
  ) throws -> CoordinationKey {
    try claim(member, (path, options.union(.writes)))
  }

  /// Ends an access; as a writer that changed what was there, unless it says otherwise.
  func release(
    _ key: CoordinationKey,
    _ outcomes: [ItemOutcome] = [ItemOutcome(existedBefore: true, existsAfter: true)]
  ) {
    say(.release(key, outcomes), from: key.member)
  }

  /// Registers a presenter.
  func present(_ member: UInt64, _ path: String?) throws -> CoordinationKey {
    let key = key(member)
    let record = PresenterRecord(key: key, path: try path.map { try Self.path($0) })
    say(.present(record, gaveWayTo: []), from: member)
    return key
  }

  func answer(
    _ presenter: CoordinationKey, to claim: CoordinationKey, failure: String? = nil
  ) {
    say(
      .answer(claim: claim, presenter: presenter, failure: failure), from: presenter.member)
  }

  // MARK: What was said

  func isGranted(_ key: CoordinationKey) -> Bool { granted(key) != nil }

  /// The paths of a granted claim.
  func granted(_ key: CoordinationKey) -> [String]? {
    for case .granted(key, let paths) in said[key.member] ?? [] { return paths.map(\.text) }
    return nil
  }

  func failure(of key: CoordinationKey) -> ClaimFailure? {
    for case .failed(key, let failure) in said[key.member] ?? [] { return failure }
    return nil
  }

  /// What a presenter was asked for a claim, if it was.
  func questions(
    to presenter: CoordinationKey, for claim: CoordinationKey
  ) -> [PresenterQuestion]? {
    for case .ask(claim, presenter, let questions, _) in said[presenter.member] ?? [] {
      return questions
    }
    return nil
  }

  /// What a presenter was told, in order.
  func notices(to presenter: CoordinationKey) -> [PresenterNotice] {
    (said[presenter.member] ?? []).compactMap { message in
      guard case .notice(presenter, let notice) = message else { return nil }
      return notice
    }
  }

  /// Who stands in the way of a claim, by process number.
  func inTheWay(of key: CoordinationKey) -> [Int32]? {
    for case .waiting(key, let holders) in said[key.member] ?? [] {
      return holders.map(\.process.id)
    }
    return nil
  }
}
