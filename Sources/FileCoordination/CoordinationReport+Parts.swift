// A report has to fit into messages.
extension CoordinationReport {
  /// How many entries of each kind a message has at most.
  static let maximumEntries = 200

  /// How many bytes of a message either kind takes.
  static let room = WireFormat.maximumBytes / 3

  /// How many bytes all presenters take: an arbiter keeps so much for nobody who does not read.
  private static let maximumBytes = 1 << 22

  /// With a report's number: that more presenters of it are told before the rest.
  ///
  /// Programs of earlier versions asked for no such number, and pass over it.
  private static let partMark: UInt64 = 1 << 63

  /// The messages that tell it, each with as much as there is room for.
  func messages(number: UInt64) -> [ArbiterMessage] {
    let lists = presenterLists()
    let rest = lists.dropFirst().map { list in
      ArbiterMessage.status(
        number: number | Self.partMark,
        CoordinationReport(arbiter: arbiter, claims: [], presenters: list))
    }
    let first = CoordinationReport(
      arbiter: arbiter, claims: claims, presenters: lists.first ?? [])
    return rest + [.status(number: number, first)]
  }

  private func presenterLists() -> [[Presenter]] {
    var lists: [[Presenter]] = []
    var (filled, all) = (0, 0)
    for presenter in presenters {
      let size = presenter.maximumWireBytes
      all += size
      guard all <= Self.maximumBytes else { break }
      if lists.isEmpty || filled + size > Self.room || lists.last?.count == Self.maximumEntries {
        lists.append([])
        filled = 0
      }
      lists[lists.count - 1].append(presenter)
      filled += size
    }
    return lists
  }

  /// Parts of reports that have come, before the rest of them.
  struct Parts: Sendable {
    private var presenters: [UInt64: [Presenter]] = [:]

    /// Takes what a message has; nil if it is but a part.
    ///
    /// - parameter isAwaited: asked whether a report of this number is wanted.
    mutating func take(
      _ report: CoordinationReport, number: UInt64, _ isAwaited: (UInt64) -> Bool
    ) -> CoordinationReport? {
      let whole = number & ~CoordinationReport.partMark
      guard number == whole else {
        if isAwaited(whole) { presenters[whole, default: []] += report.presenters }
        return nil
      }
      guard let others = presenters.removeValue(forKey: whole) else { return report }
      return CoordinationReport(
        arbiter: report.arbiter, claims: report.claims, presenters: report.presenters + others)
    }

    /// Forgets those of a report that is not wanted any more.
    mutating func forget(_ number: UInt64) { presenters[number] = nil }
  }
}

extension CoordinationReport.Presenter {
  fileprivate var maximumWireBytes: Int {
    // A flag for each of both, and the lengths of name, path and process.
    (path?.utf8.count ?? 0) + min(process.name.utf8.count, WireFormat.maximumName) + 16
  }
}
