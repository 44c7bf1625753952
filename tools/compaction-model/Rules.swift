/// Planted faults: each must be found.
struct Faults: OptionSet {
  let rawValue: UInt32
  static let noAck = Faults(rawValue: 1 << 0)
  static let looseB = Faults(rawValue: 1 << 1)
  static let notHeldIsDropped = Faults(rawValue: 1 << 2)
  static let omissionIgnored = Faults(rawValue: 1 << 3)
  static let overHole = Faults(rawValue: 1 << 4)
  static let reviveNow = Faults(rawValue: 1 << 5)
  static let earlyRemoval = Faults(rawValue: 1 << 6)
  static let adoptLive = Faults(rawValue: 1 << 7)
  static let ackAcks = Faults(rawValue: 1 << 8)
  static let healDropped = Faults(rawValue: 1 << 9)
  static let ackUnapplied = Faults(rawValue: 1 << 10)
  static let neverRevive = Faults(rawValue: 1 << 11)
  static let adoptForgotten = Faults(rawValue: 1 << 12)

  static let named: [(name: String, fault: Faults, meaning: String)] = [
    ("no-ack", .noAck, "drop without acknowledgement"),
    ("loose-b", .looseB, "21(b) without its strictness"),
    ("not-held", .notHeldIsDropped, "21(c) 'no longer held' instead of 'declared dropped'"),
    ("omission-ignored", .omissionIgnored, "who has the originals ignores what a roll-up omits"),
    ("over-hole", .overHole, "a statement over a range with a hole"),
    ("revive-now", .reviveNow, "revival at once, not put off"),
    ("early-removal", .earlyRemoval, "old files removed before the range is acknowledged"),
    ("adopt-live", .adoptLive, "adoption of what shows only"),
    ("ack-acks", .ackAcks, "acknowledgements are acknowledged"),
    ("heal-dropped", .healDropped, "healing of what was dropped"),
    ("ack-unapplied", .ackUnapplied, "acknowledgement counted beyond the author's applied stream"),
    ("never-revive", .neverRevive, "no revival"),
    ("adopt-forgotten", .adoptForgotten, "adoption from a database that forgot what is covered"),
  ]
}

/// Amendments to the rules as written.
struct Amendments: OptionSet {
  let rawValue: UInt32
  /// 22: a reader keeps an omitted delete as long as it holds something that the delete covers.
  static let deleteStays = Amendments(rawValue: 1 << 0)
  /// 22: a statement is heeded only once everything that its writer had seen has arrived.
  static let putOffStatement = Amendments(rawValue: 1 << 1)
  /// 21 (b), (c): "dropped" is declared dropped *and* no longer held (put off) here.
  static let goneHere = Amendments(rawValue: 1 << 2)
  /// 24: a revived insert repeats what dies, all values of it, and covers nothing.
  static let reviveDying = Amendments(rawValue: 1 << 3)
  /// 21 (c): and every live device has acknowledged the remove or delete itself.
  static let spentSeen = Amendments(rawValue: 1 << 4)

  static let named: [(name: String, amendment: Amendments, meaning: String)] = [
    ("delete-stays", .deleteStays, "22: an omitted delete stays while what it covers is held"),
    ("put-off-statement", .putOffStatement, "22: a statement waits for all that its writer saw"),
    ("gone-here", .goneHere, "21 (b), (c): declared dropped, and no longer held here"),
    ("revive-dying", .reviveDying, "24: a revival repeats what dies and covers nothing"),
    ("spent-seen", .spentSeen, "21 (c): and every live device has acknowledged it itself"),
  ]
}

/// One bounded world that is searched.
struct Lane {
  var name: String
  var writes = 3
  var rollUps = 2
  /// How often somebody's horizon may pass.
  var horizons = 0
  var losses = 0
  var heals = 0
  /// The further paths: /a/b, /c.
  var hasChild = false
  var hasSibling = false
  /// Whether a roll-up may also drop nothing though it could.
  var hasPlainRollUps = true
  /// Whether roll-ups of a part of a stream are tried, too.
  var hasRanges = false
  /// Who writes what, in this order, all other steps free; empty for all writes of all devices.
  var script: [(device: Int, write: Write)] = []
  /// Whether only what shows at quiescence is judged.
  var isRestOnly = false
  var isDepthFirst = false
  /// Stop with an honest "not exhausted" after so many states.
  var limit = 6_000_000
}

/// The rules with which a lane is run.
struct Model {
  var lane: Lane
  var faults: Faults = []
  var amendments: Amendments = []
}
