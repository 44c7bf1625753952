/// Who claims what, and who waits for whom, on this machine.
public struct CoordinationReport: Hashable, Sendable {
  /// A claim on one or several items.
  public struct Claim: Hashable, Sendable {
    /// How far it is.
    public enum State: UInt8, Hashable, Sendable, CaseIterable {
      /// Others come first.
      case waiting
      /// Presenters have been asked to give way.
      case asking
      /// The access takes place.
      case active
      /// It was made with an arbiter that has ended; its process has not come back yet.
      case unconfirmed
    }

    /// One item of a claim.
    public struct Item: Hashable, Sendable {
      /// Where it is.
      public let path: String
      /// Whether the claim is for writing.
      public let writes: Bool

      /// An item of a claim.
      public init(path: String, writes: Bool) {
        self.path = path
        self.writes = writes
      }
    }

    /// Who made it.
    public let process: CoordinatingProcess
    /// How far it is.
    public let state: State
    /// What it is for.
    public let items: [Item]
    /// How long ago it was made.
    public let age: Duration
    /// Whom it waits for.
    public let waitsFor: [CoordinationHolder]

    /// Describes a claim.
    public init(
      process: CoordinatingProcess, state: State, items: [Item], age: Duration,
      waitsFor: [CoordinationHolder]
    ) {
      self.process = process
      self.state = state
      self.items = items
      self.age = age
      self.waitsFor = waitsFor
    }
  }

  /// A presenter.
  public struct Presenter: Hashable, Sendable {
    /// Whose it is.
    public let process: CoordinatingProcess
    /// What it presents; nil as long as that has not been made.
    public let path: String?
    /// Whether it missed a deadline, and is not waited for until it answers.
    public let hasLapsed: Bool

    /// Describes a presenter.
    public init(process: CoordinatingProcess, path: String?, hasLapsed: Bool) {
      self.process = process
      self.path = path
      self.hasLapsed = hasLapsed
    }
  }

  /// The process that keeps the queue.
  public let arbiter: CoordinatingProcess
  /// All claims, in the order of the queue.
  public let claims: [Claim]
  /// All presenters.
  public let presenters: [Presenter]

  /// Puts a report together.
  public init(arbiter: CoordinatingProcess, claims: [Claim], presenters: [Presenter]) {
    self.arbiter = arbiter
    self.claims = claims
    self.presenters = presenters
  }
}
