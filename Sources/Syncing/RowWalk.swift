/// Where to look for a table's next row, in the order of its numbers and past rows that cannot be
/// read.
///
/// Damage comes in pages: who looks for a row of one, or for the next one, finds an error. How many
/// numbers it takes is not known, so one after another is tried, then greater and greater steps;
/// from where something is found the search goes back.
///
///     var walk = RowWalk()
///     while let number = walk.next { … }
package struct RowWalk {
  /// From which number on the next row is to be looked for; nil at the end.
  package private(set) var next: Int64? = 1
  /// Whether the last look began another stretch that cannot be read.
  package private(set) var isNewDamage = false
  /// How many numbers in a row gave nothing.
  private var misses = 0
  private var step: Int64 = 1
  /// The last number that gave nothing.
  private var below: Int64 = 0
  /// A number from which something is found, with the search for the first one going on.
  private var above: Int64?

  package init() {}

  /// How many are tried one by one: more than a page of a table usually holds.
  private static let patience = 1 << 12
  /// How many are tried with each greater step.
  private static let strides = 1 << 7

  /// From ``next`` on nothing could be read.
  package mutating func miss() {
    guard let number = next else { return }
    isNewDamage = misses == 0
    misses += 1
    below = number
    if let above, number < above { return narrow(to: above) }
    // What was found there is not any more.
    above = nil
    if misses > Self.patience, misses.isMultiple(of: Self.strides) {
      step = step.multipliedReportingOverflow(by: 2).partialValue
    }
    let (following, isOver) = number.addingReportingOverflow(step)
    next = number == .max ? nil : isOver || step <= 0 ? .max : following
  }

  /// From ``next`` on a row was found, or the end.
  ///
  /// - parameter row: its number; nil at the end.
  /// - returns: whether that is the next one, so that it is to be taken.
  package mutating func find(_ row: Int64?) -> Bool {
    guard let number = next else { return false }
    isNewDamage = false
    // A page says so that is not what it was.
    if let row, row < number {
      miss()
      return false
    }
    guard number - below <= 1 else {
      narrow(to: number)
      return false
    }
    misses = 0
    step = 1
    above = nil
    below = row ?? .max
    next = row.flatMap { $0 < .max ? $0 + 1 : nil }
    return row != nil
  }

  private mutating func narrow(to found: Int64) {
    above = found
    next = found - below <= 1 ? found : below + (found - below) / 2
  }
}
