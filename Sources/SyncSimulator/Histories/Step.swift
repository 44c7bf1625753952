/// One thing that happens in a history: what, to which device, and the chance that it takes.
///
/// All that is random in a step comes from its own salt, so that leaving out other steps changes it
/// as little as can be. As text, which histories are stored as:
///
///     write 2 9f3ac0de01234567
struct Step: Hashable, Sendable {
  let kind: Kind
  let device: Int
  let salt: UInt64

  /// What can happen.
  ///
  /// How a lane (something new that can happen) is added: a case here, in its group; its weight in
  /// `Climate`; what it does in an extension of `World`, called from `World.take(_:)`; what must
  /// hold of it in an extension under Checks. A step that makes no sense at its moment does
  /// nothing, because the shrinker leaves out what came before it. What lasts must be undone by
  /// `World.calm()`, for at the end everything is delivered to everybody. What a step makes of its
  /// salt should stay as it is: stored histories mean something else otherwise.
  enum Kind: String, CaseIterable, Sendable {
    // Users.
    case write
    case read
    case writeOnRead = "write-on-read"
    case rename
    /// Edits a counter.
    case count
    /// Edits a set.
    case collect
    /// Attends to a conflict that is listed.
    case resolve
    /// As the one before, by a value that is not listed.
    case decide
    /// Edits what somebody else has written last, as far as it is here.
    case answer
    /// Makes a transaction of many edits.
    case bulk
    /// Makes a transaction of edits of all sorts.
    case mix
    /// Takes back what a transaction did.
    case undo
    /// Deletes what is open in an editor, and saves that later.
    case insist

    // A device's own work.
    case sync
    /// As the one before, in small parts.
    case sip
    case glance
    case publish

    // The syncer.
    case carry
    case truncate
    case grow
    case duplicate
    case junk
    case impostor
    case ownImpostor = "own-impostor"
    case lose
    case rollBack = "roll-back"
    /// As the one before, also of what nobody else has.
    case forget
    /// Carries nothing to a device, and takes nothing from it, until it is reconnected.
    case disconnect
    case reconnect
    /// Carries a device's files to one other only, and that one's late to a third.
    case detour

    // The folder as a whole.
    case unmount
    case swap
    case wipe
    /// As the one before, also of what nobody else has.
    case burn
    case refuse
    case remount

    // The machine.
    case crash
    case powerLoss = "power-loss"
    case fullDisk = "full-disk"
    case ioError = "io-error"
    case restart
    case interrupt
    case skew
    case leave
    /// As the one before, and a year passes for everybody.
    case year
    case comeBack = "come-back"
    case clone
    case backUp = "back-up"
    case restore

    /// A user gives up what is missing of a device, though it comes in the end.
    case skip
    /// A user has another database made in the place of the one that is there.
    case rebuild
    /// A device writes what it has published in larger files, and removes the small ones.
    case compact
    /// As the one before, waiting for nobody: so that whoever was not there finds it done.
    case expire
    /// A user gives up a device, which may come back all the same.
    case retire
    /// As the one before, where what is dead may have been dropped.
    case adopt
    /// A document is made and deleted, and all of it dropped; somebody edits it meanwhile.
    case bury
    /// A device that began in a container of its own joins the shared one, with all that it has.
    case found
    /// Somebody with a newer program writes what no other understands.
    case innovate
    /// A device gets that program.
    case upgrade
  }
}

extension Step: CustomStringConvertible {
  var description: String { "\(kind.rawValue) \(device) \(String(salt, radix: 16))" }

  /// Reads a line; nil if it is no step.
  init?(_ line: some StringProtocol) {
    let words = line.split(separator: " ")
    guard words.count == 3, let kind = Kind(rawValue: String(words[0])),
      let device = Int(words[1]), device >= 0, let salt = UInt64(words[2], radix: 16)
    else { return nil }
    self.init(kind: kind, device: device, salt: salt)
  }
}
