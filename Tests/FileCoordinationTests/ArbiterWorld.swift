import FileCoordination
import TestSupport

/// Many made-up processes around one arbiter, whose messages take their time on the way, which lose
/// their connections, and are killed, the arbiter too; all of it follows from a seed.
///
/// Messages of one process stay in their order, as on a socket. What it was sent before an arbiter
/// ended it still reads; what it has sent by then may be lost. With a connection both may be lost.
final class ArbiterWorld {
  struct Claim {
    var request: ClaimRequest
    var isHeld = false
    /// For each item that it was granted, whether anything was there.
    var existed: [Bool] = []
    /// The question that is answered when this claim is over.
    var answers: Question?
  }

  struct Question {
    let claim: CoordinationKey
    let presenter: CoordinationKey
  }

  /// A presenter, and what the world knows better.
  struct Shown {
    /// Where it believes its item to be.
    var path: ItemPath
    /// What it shows in truth; nil if that is gone, or was not there.
    var item: Int?
    /// Since when whoever uses its item has to ask it; nil: it was not told that yet.
    var isKnownSince: Duration?
    /// Whether the arbiter has heard of it.
    var isNoted = false
    /// Whether it is told to look as soon as the arbiter knows it again.
    var isReturning = false
    /// The claims that it has given way to, and was not told to be over.
    var gaveWay: Set<CoordinationKey> = []
    var answered: Set<CoordinationKey> = []
    /// Whether its item has been written since it was told of a change.
    var awaitsWord = false
    /// Whether nobody knows where its item is, since what was said of a move may have been lost.
    var isLost = false
  }

  final class Process {
    let id: UInt64
    var claims: [CoordinationKey: Claim] = [:]
    var presenters: [CoordinationKey: Shown] = [:]
    var questions: [Question] = []
    var inbox: [ArbiterMessage] = []
    var outbox: [MemberMessage] = []
    var isConnected = true
    /// Whether the arbiter has heard its greeting, and so speaks to it by this connection.
    var isGreeted = false
    var isCongested = false
    /// Whether it has greeted, and not yet said all that it has.
    var isComingBack = false
    init(_ id: UInt64) { self.id = id }
    var isBusy: Bool {
      !isConnected || !claims.isEmpty || !questions.isEmpty || !inbox.isEmpty || !outbox.isEmpty
    }
    func held() -> [(key: CoordinationKey, value: Claim)] {
      claims.filter { $0.value.isHeld }.sorted { $0.key.number < $1.key.number }
    }
  }

  var random: SeededGenerator
  private var arbiter = Arbiter(process: CoordinatingProcess(id: 0, name: "arbiter"))
  var processes: [Process] = []
  var now: Duration = .seconds(1)
  var lastNumber: UInt64 = 0
  let paths: [ItemPath]
  /// What is where, whoever knows.
  var items: [ItemPath: Int] = [:]
  var lastItem = 0
  var lastMove: Duration = .zero
  /// When each claim was granted.
  private(set) var grantTimes: [CoordinationKey: Duration] = [:]
  /// Whether nobody is killed, loses a connection or does not answer, but the arbiter.
  let isCalm: Bool
  /// Whether one arbiter follows another.
  let hasTakeovers: Bool
  /// How often each thing happened: a world in which nothing happens proves nothing.
  private(set) var counts: [String: Int] = [:]
  /// What must not be: empty, if all is well.
  var complaints: [String] = []

  init(seed: UInt64, isCalm: Bool = false, hasTakeovers: Bool? = nil) {
    random = SeededGenerator(seed: seed)
    self.isCalm = isCalm
    self.hasTakeovers = hasTakeovers ?? !isCalm
    paths = ["/a", "/b", "/d", "/d/x", "/d/y", "/p.bundle/1", "/p.bundle/2", "/e"].compactMap {
      ItemPath(bytes: Array($0.utf8))
    }
    for path in paths.dropLast() { make(path) }
    for _ in 0..<4 { start() }
  }

  func count(_ what: String) { counts[what, default: 0] += 1 }

  func chance(_ percent: Int) -> Bool { random.below(100) < percent }

  func nextKey(_ process: Process) -> CoordinationKey {
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
    (process.isConnected, process.isGreeted) = (true, false)
    let name = CoordinatingProcess(id: Int32(process.id), name: "process")
    process.outbox = [.hello(member: process.id, name)]
    for (_, claim) in process.claims.sorted(by: { $0.key.number < $1.key.number }) {
      process.outbox.append(.claim(claim.request, isHeld: claim.isHeld))
    }
    for (key, shown) in process.presenters.sorted(by: { $0.key.number < $1.key.number }) {
      process.presenters[key]?.isReturning = true
      let record = PresenterRecord(key: key, path: shown.path)
      process.outbox.append(.present(record, gaveWayTo: Array(shown.gaveWay)))
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
    case 97..<101: if !isCalm { disturb(process) } else if hasTakeovers, chance(5) { takeOver() }
    case 101: if chance(50) { unpresent(process) }
    case 102..<105: moveOne(process)
    default: if !process.isConnected { greet(process) }
    }
  }

  // MARK: What nobody wants

  private func disturb(_ process: Process) {
    switch random.below(10) {
    case 0..<3: kill(process)
    case 3: takeOver()
    case 4..<7: lose(process)
    default: congest(process)
    }
  }

  private func congest(_ process: Process) {
    process.isCongested.toggle()
    input(.congested(process.id, process.isCongested))
  }

  private func kill(_ process: Process) {
    processes.removeAll { $0 === process }
    loseMoves()
    input(.gone(process.id))
    start()
    count("kills")
  }

  /// Its connection ends, which may be heard of only when it has come back by another.
  private func lose(_ process: Process) {
    guard process.isConnected else { return }
    count("lost connections")
    while !process.inbox.isEmpty, chance(60) { receiveOne(process) }
    while !process.outbox.isEmpty, chance(60) { sendOne(process) }
    (process.inbox, process.outbox) = ([], [])
    (process.isConnected, process.isGreeted) = (false, false)
    loseMoves()
    guard chance(50) else { return }
    process.isComingBack = false
    input(.lost(process.id))
  }

  /// The arbiter ends; the next one knows what processes wrote down, and nothing else.
  private func takeOver() {
    count("takeovers")
    for process in processes { while !process.outbox.isEmpty, chance(60) { sendOne(process) } }
    for process in processes {
      while !process.inbox.isEmpty { receiveOne(process) }
      process.outbox = []
      (process.isConnected, process.isGreeted, process.isComingBack) = (false, false, false)
    }
    loseMoves()
    arbiter = Arbiter(process: CoordinatingProcess(id: 0, name: "next"))
    for process in processes {
      let requests = process.claims.values.map(\.request)
      let name = CoordinatingProcess(id: Int32(process.id), name: "process")
      let presented = process.presenters.map { PresenterRecord(key: $0, path: $1.path) }
      guard !presented.isEmpty || !requests.isEmpty else { continue }
      input(.recovered(process.id, name, requests, presenting: presented))
      for key in process.presenters.keys { noteHeard(key, process) }
    }
  }

  // MARK: What is on the way

  private func input(_ input: Arbiter.Input) {
    for case .send(let member, let message) in arbiter.input(input, now: now) {
      if case .granted(let key, _) = message { grantTimes[key] = now }
      processes.first { $0.id == member && $0.isGreeted }?.inbox.append(message)
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

  /// Has the arbiter hear all that a process says, and everybody all that follows.
  func deliverAll(of process: Process) {
    repeat {
      while !process.outbox.isEmpty { sendOne(process) }
      for other in processes { while !other.inbox.isEmpty { receiveOne(other) } }
    } while !process.outbox.isEmpty
  }

  func sendOne(_ process: Process) {
    guard process.isConnected, !process.outbox.isEmpty else { return }
    let message = process.outbox.removeFirst()
    switch message {
    case .hello:
      (process.isGreeted, process.isComingBack) = (true, true)
      // What was said by the former connection meanwhile is lost.
      loseMoves()
    case .ready: process.isComingBack = false
    case .present(let record, _): noteHeard(record.key, process)
    case .moved: lastMove = now
    default: break
    }
    input(.message(from: process.id, message))
  }

  private func receiveOne(_ process: Process) {
    guard !process.inbox.isEmpty else { return }
    switch process.inbox.removeFirst() {
    case .granted(let key, let paths): begin(key, paths, process)
    case .failed(let key, let failure):
      if case .deadlock = failure { count("deadlocks") }
      end(key, process)
    case .ask(let claim, let presenter, _, _):
      process.questions.append(Question(claim: claim, presenter: presenter))
    case .notice(let presenter, let notice): hear(notice, presenter, process)
    case .presented(let presenter): noteKnown(presenter, process)
    case .lapsed: count("lapses")
    default: break
    }
  }

  private func begin(_ key: CoordinationKey, _ paths: [ItemPath], _ process: Process) {
    guard let request = process.claims[key]?.request else {
      return process.outbox.append(.release(key, []))
    }
    process.claims[key]?.request.items = zip(paths, request.items).map {
      ClaimedItem($0, $1.options)
    }
    process.claims[key]?.isHeld = true
    process.claims[key]?.existed = paths.map { items[$0] != nil }
    count("grants")
    checkExclusion(of: key)
    if isCalm { checkAllWereAsked(key, process) }
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
    checkEnd(by: arbiter.report(now: now))
  }
}
