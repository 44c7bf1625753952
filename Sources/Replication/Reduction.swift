/// What is left of a transaction that was written anew after operations of it were dropped
/// (protocol.md 21, 22).
///
/// What was dropped is dead for every reader. The places of what is left stay what they were, since
/// they name operations; the fingerprint stays, too, though it cannot be computed any more.
///
///     let transaction = Transaction(
///       header: header, operations: [second], reduction: .partial(Partial(count: 3, places: [1])))
///     transaction.stamp(0)  // that of place 1
package enum Reduction: Hashable, Sendable {
  /// Nothing is left of it, nor is it written but for its fingerprint: its time and nonce are those
  /// of the next transaction that is, and it claims to have seen its own stream only.
  case leftOut
  /// What is left of its operations is written, which may be nothing.
  case partial(Partial)

  package struct Partial: Hashable, Sendable {
    /// How many operations it had.
    package let count: Int
    /// Where those stood that are left, ascending.
    package let places: [Int]

    package init(count: Int, places: [Int]) {
      self.count = count
      self.places = places
    }
  }
}
