/// How much happened, so that a run that tries nothing does not look like one that finds nothing.
struct Figures: Sendable {
  var transactions = 0
  var files = 0
  var promises = 0
  /// Edits refused because their base was out of date.
  var stale = 0
  /// Processes that died.
  var deaths = 0
  /// Imports after which something was missing before something that is there.
  var holes = 0
  /// Deletions that waited for what their authors had seen.
  var waiting = 0
  /// Conflicts that stand at the end.
  var conflicts = 0
  /// Clones and restores.
  var copies = 0
  /// Who the model knows: devices, and whoever went on from a copy.
  var authors = 0
  /// Files that healing brought back.
  var putBack = 0
  /// Edits of counters and sets.
  var kinds = 0
  /// Times that a user gave up what was missing, and how many files could be imported for that.
  var skips = 0
  var filesBehindHoles = 0
  /// Databases that others were made in the place of.
  var recoveries = 0
  /// Choices refused because they would settle more than was chosen.
  var refused = 0
  /// Files that were joined, and those that were removed since others hold what they held.
  var joined = 0
  /// Operations that were dropped, since they were dead.
  var dropped = 0
  var removed = 0
  /// Documents that were written anew, since others had forgotten what was edited.
  var revived = 0
  /// Times that a year passed while a device was away, and that a device was given up.
  var years = 0
  var retired = 0
  /// Times that a device took all that it had of a container of its own into the shared one.
  var adoptions = 0
  /// Transactions of the newer program, devices that got it, and writes that others were refused.
  var innovations = 0
  var upgrades = 0
  var refusedToOlder = 0

  static func += (sum: inout Figures, other: Figures) {
    sum.transactions += other.transactions
    sum.files += other.files
    sum.promises += other.promises
    sum.stale += other.stale
    sum.deaths += other.deaths
    sum.holes += other.holes
    sum.waiting += other.waiting
    sum.conflicts += other.conflicts
    sum.copies += other.copies
    sum.authors += other.authors
    sum.putBack += other.putBack
    sum.kinds += other.kinds
    sum.skips += other.skips
    sum.filesBehindHoles += other.filesBehindHoles
    sum.recoveries += other.recoveries
    sum.refused += other.refused
    sum.joined += other.joined
    sum.dropped += other.dropped
    sum.removed += other.removed
    sum.revived += other.revived
    sum.years += other.years
    sum.retired += other.retired
    sum.adoptions += other.adoptions
    sum.innovations += other.innovations
    sum.upgrades += other.upgrades
    sum.refusedToOlder += other.refusedToOlder
  }
}

extension Figures: CustomStringConvertible {
  var description: String {
    "\(transactions) transactions in \(files) files, \(promises) edits acknowledged, \(stale)"
      + " stale, \(deaths) deaths, \(holes) imports with holes, \(waiting) removals that waited,"
      + " \(conflicts) conflicts; \(kinds) edits of counters and sets, \(copies) copies of devices,"
      + " \(authors) authors, \(putBack) files put back,"
      + " \(skips) skips, \(filesBehindHoles) files imported for them,"
      + " \(recoveries) rebuilds, \(refused) choices refused, \(joined) files joined,"
      + " \(removed) removed, \(dropped) operations dropped, \(revived) documents"
      + " revived; \(years) years passed, \(retired) devices given up,"
      + " \(adoptions) adoptions, \(innovations) newer transactions, \(upgrades) upgrades,"
      + " \(refusedToOlder) writes refused before those"
  }
}
