import DocumentStorage
import Foundation
import Replication

extension FeedSyncError {
  init(history error: HistoryError, operation: String) {
    switch error {
    case .unknownTransaction(let name):
      self.init(
        .notFound, operation: operation, message: "there is no transaction '\(name)' here",
        hint: "a transaction is named <stream>:<sequence>, as 'feedsync history' prints it")
    case .ambiguous(let prefix, let streams):
      self.init(
        .usage, operation: operation,
        message: "'\(prefix)' is the beginning of \(streams.count) devices' ids",
        hint: "give more of it: \(streams.map(\.description).joined(separator: " or "))")
    case .ambiguousBranch(let name, let transactions):
      let names = transactions.map { "\($0.stream):\($0.sequence):\($0.fingerprint)" }
      self.init(
        .usage, operation: operation,
        message: "'\(name)' stands for \(transactions.count) transactions, since that device was"
          + " cloned or restored",
        hint: "name one of them: \(names.joined(separator: " or "))")
    case .incomplete(let missing):
      self.init(
        .cannotRead, operation: operation, message: Self.notKept(missing),
        hint: "run 'feedsync import' while the folder has that device's files; what is known can"
          + " be read with 'feedsync history'")
    case .forgotten(let start):
      self.init(
        .cannotRead, operation: operation,
        message: "the past is kept from \(Self.moment(start)) on; what was written over before"
          + " that may have been dropped since",
        hint: "'feedsync history' prints what is known")
    }
  }

  /// A moment as text, in UTC.
  private static func moment(_ time: HybridTime) -> String { Date(time).formatted(.iso8601) }

  /// Says what the archive lacks.
  package static func notKept(_ missing: RecordedEvents.Missing) -> String {
    let device = missing.name.map { "'\($0)'" } ?? missing.stream.description
    let (first, last) = (missing.range.lowerBound, missing.range.upperBound)
    let range = first == last ? "transaction \(first)" : "transactions \(first) to \(last)"
    return "\(range) of \(device) were applied before this device kept what it reads, and are not"
      + " known any more"
  }
}
