/// What tells a claim, or a presenter, from all others of this machine.
package struct CoordinationKey: Hashable, Sendable {
  /// The process's part, a random number.
  package let member: UInt64
  /// Counted by the process.
  package let number: UInt64

  package init(member: UInt64, number: UInt64) {
    self.member = member
    self.number = number
  }
}

/// A process, as reports and errors name it.
public struct CoordinatingProcess: Hashable, Sendable {
  /// Its process id.
  public let id: Int32
  /// The name of its program.
  public let name: String

  /// Names a process.
  public init(id: Int32, name: String) {
    self.id = id
    self.name = name
  }
}

/// One item of a claim, as the arbiter judges it.
package struct ClaimedItem: Hashable, Sendable {
  /// What is asked for on the item.
  package struct Options: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let writes = Options(rawValue: 1 << 0)
    /// A directory stands there, or may when the claim has its turn.
    package static let isDirectory = Options(rawValue: 1 << 1)
    package static let withoutChanges = Options(rawValue: 1 << 2)
    package static let deletes = Options(rawValue: 1 << 3)
    package static let moves = Options(rawValue: 1 << 4)
    package static let replaces = Options(rawValue: 1 << 5)
    package static let merges = Options(rawValue: 1 << 6)

    package static let known = Options(rawValue: (1 << 7) - 1)

    /// Whether what lies in a directory would go away with it.
    var mayTakeContentsAlong: Bool { !isDisjoint(with: [.deletes, .moves, .replaces]) }
  }

  /// Where the item is now.
  package private(set) var path: ItemPath
  /// The package that the item is part of, or the item itself.
  package private(set) var unit: ItemPath
  package let options: Options

  package init(_ path: ItemPath, _ options: Options) {
    self.path = path
    self.unit = path.unit
    self.options = options
  }

  package var writes: Bool { options.contains(.writes) }

  /// Whether what lies in the item goes away with it.
  package var takesContentsAlong: Bool {
    options.contains([.writes, .isDirectory]) && options.mayTakeContentsAlong
  }

  /// Whether two claims with these items must not be active at once.
  package func conflicts(with other: ClaimedItem) -> Bool {
    guard writes || other.writes else { return false }
    return unit == other.unit
      || takesContentsAlong && path.contains(other.path)
      || other.takesContentsAlong && other.path.contains(path)
  }

  /// Follows a rename; a writer that replaces what has the name stays with the name.
  mutating func follow(from old: ItemPath, to new: ItemPath) {
    guard !options.contains(.replaces), let moved = path.moved(from: old, to: new) else { return }
    path = moved
    unit = moved.unit
  }
}

/// What a process asks the arbiter for: several items as one.
package struct ClaimRequest: Hashable, Sendable {
  /// No claim has more items, so that a message has a limit.
  package static let maximumItems = 256
  package static let maximumPurposeBytes = 256

  package let key: CoordinationKey
  /// Claims of one purpose never wait for each other.
  package let purpose: String
  /// The presenter on whose behalf it is made, which is sent no message for it.
  package let presenter: CoordinationKey?
  package var items: [ClaimedItem]
  /// Asks presenters for many accesses at once, and excludes nobody.
  package let isBatch: Bool
  /// The claims inside whose accessors it is made, which cannot end before it does.
  package let parents: [CoordinationKey]
  /// The claims whose questions to a presenter it is made to answer.
  package let answering: [CoordinationKey]
  /// When it was made, since the machine started: the same for all processes.
  package let since: Duration
  /// When it gives up.
  package let deadline: Duration?
  /// How long each presenter may take to answer.
  package let patience: Duration
  /// Whether somebody wants to hear whom it waits for, which costs a message.
  package let wantsHolders: Bool

  package init(
    key: CoordinationKey, purpose: String, presenter: CoordinationKey? = nil,
    items: [ClaimedItem], isBatch: Bool = false, parents: [CoordinationKey] = [],
    answering: [CoordinationKey] = [], since: Duration, deadline: Duration? = nil,
    patience: Duration = .seconds(5), wantsHolders: Bool = true
  ) {
    self.key = key
    self.purpose = purpose
    self.presenter = presenter
    self.items = items
    self.isBatch = isBatch
    self.parents = parents
    self.answering = answering
    self.since = since
    self.deadline = deadline
    self.patience = patience
    self.wantsHolders = wantsHolders
  }

  /// Whether the two must not be active at once.
  func conflicts(with other: ClaimRequest) -> Bool {
    guard purpose != other.purpose, !isBatch, !other.isBatch else { return false }
    return items.contains { item in other.items.contains { item.conflicts(with: $0) } }
  }
}
