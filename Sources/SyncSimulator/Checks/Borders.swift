extension ClosedRange<UInt64> {
  /// Whether one holds the other, or they have nothing in common: so files are that are joined.
  func isNested(with other: ClosedRange<UInt64>) -> Bool {
    !overlaps(other) || holds(other) || other.holds(self)
  }

  private func holds(_ other: ClosedRange<UInt64>) -> Bool {
    contains(other.lowerBound) && contains(other.upperBound)
  }
}
