/// A presenter, as the arbiter knows it.
package struct PresenterRecord: Hashable, Sendable {
  package let key: CoordinationKey
  /// Nil as long as its item has not been made.
  package var path: ItemPath?

  package init(key: CoordinationKey, path: ItemPath?) {
    self.key = key
    self.path = path
  }
}

/// What a presenter is asked, and must answer before an access begins.
package enum PresenterQuestion: Hashable, Sendable {
  case relinquishToReader
  case relinquishToWriter
  case saveChanges
  case accommodateDeletion
  case accommodateSubitemDeletion(ItemPath)
}

/// What happened to a version of a file.
public enum FileVersionEvent: UInt8, Hashable, Sendable, CaseIterable {
  /// A version was added.
  case gained
  /// A version was removed.
  case lost
  /// A conflict was marked as resolved.
  case resolved
}

/// What a presenter is told, and need not answer.
package enum PresenterNotice: Hashable, Sendable {
  case didChange
  case didMove(to: ItemPath)
  case subitemDidAppear(ItemPath)
  case subitemDidChange(ItemPath)
  case subitemDidMove(from: ItemPath, to: ItemPath)
  case version(FileVersionEvent, id: String)
  case subitemVersion(FileVersionEvent, at: ItemPath, id: String)
  /// The access that it gave way to is over.
  case reacquire(CoordinationKey)
}

/// Somebody who is in the way, and by what.
public struct CoordinationHolder: Hashable, Sendable {
  /// What it does.
  public enum Role: UInt8, Hashable, Sendable, CaseIterable {
    /// It reads the item now.
    case reads
    /// It writes the item now.
    case writes
    /// It came first, and waits itself.
    case waits
    /// It presents the item and has not answered yet.
    case presents
    /// It had a claim, or presented something, when the arbiter ended, and has not said yet what
    /// became of that; where it presented something, for a moment.
    case mayHold
    /// It keeps the queue, and does not answer.
    case keepsQueue
  }

  /// The process.
  public let process: CoordinatingProcess
  /// What it does with the item.
  public let role: Role
  /// The item.
  public let path: String

  /// Names somebody who is in the way.
  public init(process: CoordinatingProcess, role: Role, path: String) {
    self.process = process
    self.role = role
    self.path = path
  }
}

/// A presenter that did not answer in time, and was not waited for any longer.
public struct PresenterLapse: Hashable, Sendable {
  /// Whose presenter it is.
  public let process: CoordinatingProcess
  /// What it presents.
  public let path: String
  /// How long it was waited for.
  public let waited: Duration

  /// Describes a presenter that did not answer in time.
  public init(process: CoordinatingProcess, path: String, waited: Duration) {
    self.process = process
    self.path = path
    self.waited = waited
  }
}

/// Why a claim will not be granted.
package enum ClaimFailure: Hashable, Sendable {
  case timedOut([CoordinationHolder])
  case deadlock([CoordinationHolder])
  case presenterFailed(CoordinatingProcess, message: String)
  case cancelled
  case overLimit
}

/// What became of an item while it was claimed.
package struct ItemOutcome: Hashable, Sendable {
  package let existedBefore: Bool
  package let existsAfter: Bool

  package init(existedBefore: Bool, existsAfter: Bool) {
    self.existedBefore = existedBefore
    self.existsAfter = existsAfter
  }
}

/// What a process tells the arbiter.
package enum MemberMessage: Hashable, Sendable {
  case hello(member: UInt64, CoordinatingProcess)
  /// `isHeld`: it was granted already, by an arbiter that has ended.
  case claim(ClaimRequest, isHeld: Bool)
  case cancel(CoordinationKey)
  case release(CoordinationKey, [ItemOutcome])
  /// Adds a presenter, or says where its item is now; with the claims that it gave way to.
  case present(PresenterRecord, gaveWayTo: [CoordinationKey])
  case unpresent(CoordinationKey)
  case answer(claim: CoordinationKey, presenter: CoordinationKey, failure: String?)
  case moved(claim: CoordinationKey, from: ItemPath, to: ItemPath)
  case version(FileVersionEvent, at: ItemPath, id: String)
  /// Something changed that nobody claimed.
  case changed(ItemPath)
  /// All that it had with an earlier arbiter has been said.
  case ready
  case status(number: UInt64)
}

/// What the arbiter tells a process.
package enum ArbiterMessage: Hashable, Sendable {
  case welcome(CoordinatingProcess)
  /// Whatever is claimed from now on asks the presenter.
  case presented(CoordinationKey)
  case waiting(CoordinationKey, [CoordinationHolder])
  case granted(CoordinationKey, [ItemPath])
  case failed(CoordinationKey, ClaimFailure)
  /// A presenter was not waited for any longer.
  case lapsed(CoordinationKey, PresenterLapse)
  case ask(
    claim: CoordinationKey, presenter: CoordinationKey, [PresenterQuestion],
    asker: CoordinatingProcess)
  case notice(presenter: CoordinationKey, PresenterNotice)
  case status(number: UInt64, CoordinationReport)
}
