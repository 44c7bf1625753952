/// Decides who may touch what, and when; it has no clock, no thread and no socket.
///
/// Claims stand in one queue, in the order in which they were made. One waits for all earlier
/// ones that it conflicts with, those that wait themselves included, so that readers who keep
/// coming do not starve a writer. Then the presenters of its items are asked to give way, and have
/// until a deadline to answer. Then it is granted.
///
///     var arbiter = Arbiter(process: own)
///     let actions = arbiter.input(.message(from: 7, .claim(request, isHeld: false)), now: now)
///     // [.send(to: 7, .granted(request.key, …))]
///
/// The caller does the actions in their order, and says `.time` when ``nextDeadline`` has come.
package struct Arbiter: Sendable {
  /// What the arbiter is told.
  package enum Input: Sendable {
    case message(from: UInt64, MemberMessage)
    /// A process has ended, or has nothing to do with this any more.
    case gone(UInt64)
    /// A living process had these claims with an arbiter that has ended; none of them is known
    /// to be held or not, so all count as held until it comes back. What it presents is asked for
    /// until then, and waited for like what does not answer.
    case recovered(UInt64, CoordinatingProcess, [ClaimRequest], presenting: [PresenterRecord])
    /// A process has lost its connection, and lives: it comes back, or ends.
    case lost(UInt64)
    /// A process does not read what it is told, or reads again.
    case congested(UInt64, Bool)
    /// A deadline may have come.
    case time
  }

  /// What the caller does.
  package enum Action: Hashable, Sendable {
    case send(to: UInt64, ArbiterMessage)
  }

  /// No process has more claims at a time.
  package static let maximumClaims = 1_000
  /// No process has more presenters at a time.
  package static let maximumPresenters = 10_000
  /// How long nothing begins without those that presented something when the arbiter ended.
  ///
  /// They are back at once, unless they are suspended, and may have been told of a move since they
  /// wrote down where their items are. Only those wait longer who touch what is presented.
  package static let returnPatience = Duration.milliseconds(50)

  struct Member {
    var process: CoordinatingProcess
    var isConnected = false
    var isCongested = false
    /// Whether claims made with an earlier arbiter may still be missing.
    var isRecovering = false
    var presenters: Set<CoordinationKey> = []
    /// Those that it had before it came back, and has not named since.
    var unnamed: Set<CoordinationKey> = []
    var claims = 0
  }

  struct Presenter {
    var record: PresenterRecord
    /// Whether it missed a deadline and has not answered since.
    var hasLapsed = false
    /// Whether something happened that it was not told of.
    var missedSomething = false
    /// Where its item is as far as it knows, as long as it was not told of a move.
    var formerPath: ItemPath?
  }

  struct Claim {
    enum State {
      case waiting
      /// Until when each presenter may answer.
      case asking([CoordinationKey: Duration])
      case active
      case unconfirmed
    }
    var request: ClaimRequest
    var state: State
    /// Those asked to give way, who are told when the access is over.
    var asked: Set<CoordinationKey> = []
    /// Those whose process has come back meanwhile, and whose time began anew.
    var askedAnew: Set<CoordinationKey> = []
    /// Whether all presenters have answered.
    var isAnswered = false

    var isHeld: Bool {
      switch state {
      case .active, .unconfirmed: true
      case .waiting, .asking: false
      }
    }
  }

  let process: CoordinatingProcess
  var members: [UInt64: Member] = [:]
  var presenters: [CoordinationKey: Presenter] = [:]
  var claims: [CoordinationKey: Claim] = [:]
  var order: [CoordinationKey] = []
  /// Processes that present something, and have not said yet where that is by now; until when
  /// nothing begins without them.
  var returning: [UInt64: Duration] = [:]
  /// Presenters that gave way to claims which their processes, not back yet, may still name.
  var stranded: [(presenter: CoordinationKey, claim: CoordinationKey)] = []
  /// What was granted since it was last looked at who may go past others on account of that.
  var newPurposes: Set<String> = []
  var actions: [Action] = []

  /// An arbiter without claims, in the given process.
  package init(process: CoordinatingProcess) { self.process = process }

  /// Takes something in.
  ///
  /// - parameter now: The time since the machine started, which never goes back.
  /// - returns: What to do, in this order.
  package mutating func input(_ input: Input, now: Duration) -> [Action] {
    switch input {
    case .message(let member, let message): take(message, from: member, now: now)
    case .gone(let member): forget(member, now: now)
    case .recovered(let member, let process, let requests, let presenters):
      recover(member, process, requests, presenters, now: now)
    case .lost(let member): lose(member, now: now)
    case .congested(let member, let isCongested):
      members[member]?.isCongested = isCongested
      if !isCongested { tellMissed(of: member) }
    case .time: expire(now: now)
    }
    letSharersPass(now: now)
    defer { actions.removeAll(keepingCapacity: true) }
    return actions
  }

  private mutating func take(_ message: MemberMessage, from member: UInt64, now: Duration) {
    if case .hello(_, let process) = message { return greet(member, process, now: now) }
    guard members[member]?.isConnected == true else { return }
    switch message {
    case .hello: break
    case .claim(let request, let isHeld):
      guard request.key.member == member else { return }
      add(request, isHeld: isHeld, now: now)
    case .cancel(let key):
      guard key.member == member, let claim = claims[key], !claim.isHeld else { return }
      fail(key, .cancelled)
      advance(now: now)
    case .release(let key, let outcomes):
      guard key.member == member else { return }
      release(key, outcomes, now: now)
    case .present(let record, let claims):
      guard record.key.member == member else { return }
      present(record, gaveWayTo: claims, now: now)
    case .unpresent(let key):
      guard key.member == member else { return }
      unpresent(key, now: now)
      advance(now: now)
    case .answer(let claim, let presenter, let failure):
      guard presenter.member == member else { return }
      answer(claim, by: presenter, failure, now: now)
    case .moved(let claim, let old, let new):
      guard claim.member == member else { return }
      move(by: claim, from: old, to: new, now: now)
    case .version(let event, let path, let id): tellVersion(event, at: path, id: id)
    case .changed(let path): tellChange(of: path, appeared: false, except: nil)
    case .ready: finishRecovery(of: member, now: now)
    case .status(let number):
      for message in report(now: now).messages(number: number) { send(member, message) }
    }
  }

  mutating func send(_ member: UInt64, _ message: ArbiterMessage) {
    actions.append(.send(to: member, message))
  }

  /// Whether a process claims or presents anything.
  package func hasAnything(of member: UInt64) -> Bool {
    members[member].map { $0.claims > 0 || !$0.presenters.isEmpty } ?? false
  }

  /// When `.time` is due next; nil if nothing is waited for by the clock.
  package var nextDeadline: Duration? {
    var next = returning.values.min()
    for claim in claims.values {
      switch claim.state {
      case .active, .unconfirmed: continue
      case .waiting: break
      case .asking(let deadlines):
        for deadline in deadlines.values { next = min(next ?? deadline, deadline) }
      }
      if let deadline = claim.request.deadline { next = min(next ?? deadline, deadline) }
    }
    return next
  }

  private mutating func expire(now: Duration) {
    returning = returning.filter { $0.value > now }
    for key in order {
      guard let claim = claims[key], !claim.isHeld else { continue }
      if let deadline = claim.request.deadline, deadline <= now {
        fail(key, .timedOut(holders(before: key)))
      } else if case .asking(let deadlines) = claim.state {
        for (presenter, deadline) in deadlines where deadline <= now {
          lapse(presenter, asked: key, now: now)
        }
      }
    }
    advance(now: now)
  }
}
