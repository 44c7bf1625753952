import FileCoordination
import TestSupport

/// Many made-up processes around one arbiter, whose messages take their time on the way, which lose
/// their connections, and are killed, the arbiter too; all of it follows from a seed.
///
/// Messages of one process stay in their order, as on a socket. What it was sent before an arbiter
/// ended it still reads; what it has sent by then may be lost. With a connection both may be lost.
final class ArbiterWorld {
  private struct Claim {
    var request: ClaimRequest
    var isHeld = false
    /// The question that is answered when this claim is over.
    var answers: (claim: CoordinationKey, presenter: CoordinationKey)?
  }

  private final class Process {
    let id: UInt64
    var claims: [CoordinationKey: Claim] = [:]
    var presenters: [CoordinationKey: ItemPath] = [:]
    var questions: [(claim: CoordinationKey, presenter: CoordinationKey)] = []
    var inbox: [ArbiterMessage] = []
    var outbox: [MemberMessage] = []
    var isConnected = true
    var isCongested = false
    /// Whether it has greeted, and not yet said all that it has.
    var isComingBack = false
    init(_ id: UInt64) { self.id = id }
    var isBusy: Bool {
      !isConnected || !claims.isEmpty || !questions.isEmpty || !inbox.isEmpty || !outbox.isEmpty
    }
  }

  private var random: SeededGenerator
  private var arbiter = Arbiter(process: CoordinatingProcess(id: 0, name: "arbiter"))
  private var processes: [Process] = []
  private var now: Duration = .seconds(1)
  private var lastNumber: UInt64 = 0
  private let paths: [ItemPath]
  /// How often each thing happened: a world in which nothing happens proves nothing.
  private(set) var counts: [String: Int] = [:]
  /// What must not be: empty, if all is well.
  private(set) var complaints: [String] = []

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    paths = ["/a", "/b", "/d", "/d/x", "/d/y", "/p.bundle/1", "/p.bundle/2"].compactMap {
      ItemPath(bytes: Array($0.utf8))
    }
    for _ in 0..<4 { start() }
  }

  private func count(_ what: String) { counts[what, default: 0] += 1 }

  private func chance(_ percent: Int) -> Bool { random.below(100) < percent }

  private func nextKey(_ process: Process) -> CoordinationKey {
    lastNumber += 1
    return CoordinationKey(member: process.id, number: lastNumber)
  }

  private func start() {
    lastNumber += 1
    let process = Process(lastNumber)
    processes.append(process)
    greet(process)
  }

  private func greet(_ process: Process) {
    process.isConnected = true
    let name = CoordinatingProcess(id: Int32(process.id), name: "process")
    process.outbox = [.hello(member: process.id, name)]
    for (_, claim) in process.claims.sorted(by: { $0.key.number < $1.key.number }) {
      process.outbox.append(.claim(claim.request, isHeld: claim.isHeld))
    }
    for (key, path) in process.presenters {
      process.outbox.append(.present(PresenterRecord(key: key, path: path), gaveWayTo: []))
    }
    process.outbox.append(.ready)
  }

  /// Lets anything happen.
  func step() {
    now += .milliseconds(1)
    let process = processes[random.below(processes.count)]
    if let deadline = arbiter.nextDeadline, deadline <= now { input(.time) }
    switch random.below(108) {
    case 0..<18: if process.claims.count < 3 { claim(process) }
    case 18..<45: sendOne(process)
    case 45..<75: receiveOne(process)
    case 75..<87: releaseOne(process)
    case 87..<93: answerOne(process)
    case 93..<96: if process.presenters.count < 2 { present(process) }
    case 96: cancelOne(process)
    case 97: kill(process)
    case 98: if chance(30) { takeOver() }
    case 99: lose(process)
    case 100: unpresent(process)
    case 101..<104: moveOne(process)
    case 104: congest(process)
    default: if !process.isConnected { greet(process) }
    }
  }

  // MARK: What processes do

  private func claim(
    _ process: Process,
    answering question: (claim: CoordinationKey, presenter: CoordinationKey)? = nil
  ) {
    let kinds: [ClaimedItem.Options] = [[], .writes, [.writes, .deletes], [.writes, .moves]]
    let items = (0...random.below(2)).map { _ in
      let path = paths[random.below(paths.count)]
      var options = kinds[random.below(kinds.count)]
      if path == paths[2] { options.insert(.isDirectory) }
      return ClaimedItem(path, options)
    }
    // Inside of an accessor, sometimes; then in whatever order they please.
    let held = process.claims.filter { $0.value.isHeld }.keys.sorted { $0.number < $1.number }
    let parents = chance(60) ? Array(held.prefix(1)) : []
    let key = nextKey(process)
    let batch = parents.first.flatMap { process.claims[$0]?.request }.flatMap {
      $0.isBatch ? $0 : nil
    }
    let request = ClaimRequest(
      key: key, purpose: batch?.purpose ?? (chance(20) ? "shared" : "\(key.number)"),
      // Whether it says on whose behalf it answers, as it should.
      presenter: chance(50) ? question?.presenter : nil, items: items,
      isBatch: batch == nil && question == nil && chance(10), parents: parents,
      answering: question.map { [$0.claim] } ?? [], since: now,
      deadline: chance(10) ? now + .milliseconds(random.below(200)) : nil,
      patience: chance(20) ? .milliseconds(random.below(100)) : .seconds(1_000_000))
    process.claims[key] = Claim(request: request, answers: question)
    process.outbox.append(.claim(request, isHeld: false))
    count(parents.isEmpty ? request.isBatch ? "batches" : "claims" : "nested claims")
  }

  private func present(_ process: Process) {
    let key = nextKey(process)
    let path = paths[random.below(paths.count)]
    process.presenters[key] = path
    process.outbox.append(.present(PresenterRecord(key: key, path: path), gaveWayTo: []))
  }

  private func unpresent(_ process: Process) {
    guard let key = process.presenters.keys.min(by: { $0.number < $1.number }) else { return }
    process.presenters[key] = nil
    process.questions.removeAll { $0.presenter == key }
    process.outbox.append(.unpresent(key))
  }

  /// Renames what it has claimed, to a name that it has claimed, too.
  private func moveOne(_ process: Process) {
    let held = process.claims.filter { $0.value.isHeld }.sorted { $0.key.number < $1.key.number }
    for (key, claim) in held {
      let items = claim.request.items
      guard let from = items.first(where: { $0.options.contains(.moves) }),
        let to = items.first(where: { $0.writes && $0.path != from.path })
      else { continue }
      process.outbox.append(.moved(claim: key, from: from.path, to: to.path))
      return count("moves")
    }
  }

  private func congest(_ process: Process) {
    process.isCongested.toggle()
    input(.congested(process.id, process.isCongested))
  }

  private func answerOne(_ process: Process) {
    guard !process.questions.isEmpty else { return }
    let question = process.questions.removeFirst()
    if chance(20) {
      count("claims in answer")
      return claim(process, answering: question)
    }
    answer(question, process)
  }

  private func answer(
    _ question: (claim: CoordinationKey, presenter: CoordinationKey), _ process: Process
  ) {
    process.outbox.append(
      .answer(claim: question.claim, presenter: question.presenter, failure: nil))
  }

  private func hasChildren(_ key: CoordinationKey, _ process: Process) -> Bool {
    process.claims.values.contains { $0.request.parents.contains(key) }
  }

  private func releaseOne(_ process: Process) {
    let free = process.claims.filter { $0.value.isHeld && !hasChildren($0.key, process) }.keys
      .sorted { $0.number < $1.number }
    guard !free.isEmpty else { return }
    let key = free[random.below(free.count)]
    process.outbox.append(
      .release(key, [ItemOutcome(existedBefore: true, existsAfter: true)]))
    end(key, process)
  }

  private func cancelOne(_ process: Process) {
    let waiting = process.claims.filter { !$0.value.isHeld }.keys.sorted { $0.number < $1.number }
    guard let key = waiting.first else { return }
    process.outbox.append(.cancel(key))
    end(key, process)
  }

  private func end(_ key: CoordinationKey, _ process: Process) {
    let claim = process.claims.removeValue(forKey: key)
    if let question = claim?.answers { answer(question, process) }
  }

  private func kill(_ process: Process) {
    processes.removeAll { $0 === process }
    input(.gone(process.id))
    start()
    count("kills")
  }

  /// Its connection ends, which is heard of only when it has come back by another.
  private func lose(_ process: Process) {
    guard process.isConnected else { return }
    count("lost connections")
    while !process.inbox.isEmpty, chance(60) { receiveOne(process) }
    while !process.outbox.isEmpty, chance(60) { sendOne(process) }
    (process.inbox, process.outbox, process.isConnected) = ([], [], false)
  }

  /// The arbiter ends; the next one knows what processes wrote down, and nothing else.
  private func takeOver() {
    count("takeovers")
    arbiter = Arbiter(process: CoordinatingProcess(id: 0, name: "next"))
    for process in processes {
      while !process.inbox.isEmpty { receiveOne(process) }
      process.outbox = []
      process.questions = []
      process.isConnected = false
      let requests = process.claims.values.map(\.request)
      let name = CoordinatingProcess(id: Int32(process.id), name: "process")
      if !requests.isEmpty { input(.recovered(process.id, name, requests)) }
    }
  }

  // MARK: What is on the way

  private func input(_ input: Arbiter.Input) {
    for case .send(let member, let message) in arbiter.input(input, now: now) {
      processes.first { $0.id == member && $0.isConnected }?.inbox.append(message)
    }
    checkNothingIsLeft(after: input)
  }

  /// An arbiter does at once whatever it can: nobody may come who would have it look again.
  private func checkNothingIsLeft(after input: Arbiter.Input) {
    if let deadline = arbiter.nextDeadline, deadline <= now { return }
    // Whoever comes back says that it has said all, or ends: then it looks.
    if processes.contains(where: \.isComingBack) { return }
    var other = arbiter
    for case .send(_, let message) in other.input(.time, now: now) {
      complaints.append("after \(input) it has still to say \(message)")
    }
  }

  private func sendOne(_ process: Process) {
    guard process.isConnected, !process.outbox.isEmpty else { return }
    let message = process.outbox.removeFirst()
    switch message {
    case .hello: process.isComingBack = true
    case .ready: process.isComingBack = false
    default: break
    }
    input(.message(from: process.id, message))
  }

  private func receiveOne(_ process: Process) {
    guard !process.inbox.isEmpty else { return }
    switch process.inbox.removeFirst() {
    case .granted(let key, let paths):
      guard let request = process.claims[key]?.request else {
        process.outbox.append(.release(key, []))
        return
      }
      process.claims[key]?.request.items = zip(paths, request.items).map {
        ClaimedItem($0, $1.options)
      }
      process.claims[key]?.isHeld = true
      count("grants")
      checkExclusion(of: key)
    case .failed(let key, let failure):
      if case .deadlock = failure { count("deadlocks") }
      end(key, process)
    case .ask(let claim, let presenter, _, _): process.questions.append((claim, presenter))
    case .notice(let presenter, .didMove(let path)):
      if process.presenters[presenter] != nil { process.presenters[presenter] = path }
      count("moves told")
    case .lapsed: count("lapses")
    default: break
    }
  }

  /// No two accesses that exclude one another take place.
  private func checkExclusion(of key: CoordinationKey) {
    let held = processes.flatMap { $0.claims.values }.filter(\.isHeld).map(\.request)
    guard let new = held.first(where: { $0.key == key }) else { return }
    for other in held where other.key != key && other.purpose != new.purpose {
      if other.isBatch || new.isBatch { continue }
      for item in new.items where other.items.contains(where: { $0.conflicts(with: item) }) {
        complaints.append("\(new.key) and \(other.key) are both in \(item.path.text)")
      }
    }
  }

  /// Lets all come back and end what they have, and nobody begin anything; no time passes.
  func settle() {
    for _ in 0..<2_000 where processes.contains(where: \.isBusy) {
      for process in processes {
        if !process.isConnected { greet(process) }
        if process.isCongested { congest(process) }
        while !process.outbox.isEmpty { sendOne(process) }
        while !process.inbox.isEmpty { receiveOne(process) }
        for question in process.questions { answer(question, process) }
        process.questions = []
        releaseOne(process)
      }
    }
    for process in processes {
      for (key, claim) in process.claims {
        complaints.append("\(key) waits for ever: \(claim.request)")
      }
    }
    for presenter in arbiter.report(now: now).presenters where presenter.hasLapsed {
      complaints.append("a presenter of \(presenter.path ?? "") counts as silent for ever")
    }
  }
}
