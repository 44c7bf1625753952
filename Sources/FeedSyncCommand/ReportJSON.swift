import CanonicalJSON
import DocumentStorage
import FeedSync
import Foundation
import Replication
import Syncing

/// How what was found and done is shown; one form for `import`, `watch` and `status`.
package enum ReportJSON {
  /// The parts of an error, as `--format json` has them.
  static func error(
    _ code: Int32, _ operation: String, _ file: String?, _ message: String, _ hint: String?
  ) -> JSON {
    func text(_ value: String?) -> JSON {
      value.map { .text($0) } ?? .null
    }
    return .object([
      "code": .number(code), "operation": text(operation), "file": text(file),
      "message": text(message), "hint": text(hint),
    ])
  }

  static func error(_ error: FeedSyncError) -> JSON {
    Self.error(error.code.rawValue, error.operation, error.file, error.message, error.hint)
  }

  static func device(_ stream: StreamID, name: String?) -> JSON {
    .object([
      "id": .text(stream.description), "name": name.map { .text($0) } ?? .null,
    ])
  }

  static func gap(_ gap: ImportReport.Gap) -> JSONObject {
    [
      "device": device(gap.stream, name: gap.name), "first": .number(gap.first),
      "last": .number(gap.last), "since": .text(time(gap.since)),
    ]
  }

  static func givenUp(_ stream: StreamSummary) -> JSON {
    stream.givenUp.map { .object(["last": .number($0.last), "at": .text(time($0.at))]) } ?? .null
  }

  static func setAside(_ record: FileRecord) -> JSONObject {
    [
      "file": .text(record.key.path), "reason": .text(record.reason.rawValue),
      "detail": record.detail.map { .text($0) } ?? .null,
    ]
  }

  static func clock(_ skew: ClockHistory.Skew) -> JSON {
    .object([
      "ahead_ms": .number(skew.ahead), "certain": .bool(skew.isCertain),
      "last_seen": .text(time(skew.lastSeen)), "since": .text(time(skew.since)),
    ])
  }

  /// ISO 8601 in UTC, with milliseconds.
  package static func time(_ milliseconds: Int64) -> String {
    // The style cuts off what is below a millisecond, and most milliseconds are no exact doubles.
    Date(timeIntervalSince1970: (Double(milliseconds) + 0.5) / 1000).formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}

/// The same for people.
enum ReportText {
  static func done(_ report: ImportReport) -> String {
    "imported \(CountText.of(report.segments, "segment")):"
      + " \(CountText.of(report.transactions, "transaction")),"
      + " \(CountText.of(report.operations, "operation")),"
      + " \(CountText.of(report.documents, "document"));"
      + " published \(CountText.of(report.published, "transaction"))"
      + (report.putBack > 0 ? "; put back \(CountText.of(report.putBack, "file"))" : "")
      + (report.revived > 0
        ? "; wrote \(CountText.of(report.revived, "document")) anew that others had deleted and"
          + " forgotten during edits here: see 'feedsync conflicts'" : "")
      + (report.removalsGivenUp > 0
        ? "; gave up \(CountText.of(report.removalsGivenUp, "removal")) that had waited here, since"
          + " somebody had written there meanwhile: see 'feedsync conflicts'" : "")
      + (report.hasNewStream
        ? "; this device was copied or restored, and goes on as a new one" : "")
  }

  static func device(_ stream: StreamID, name: String?) -> String {
    name.map { NameText.escaped($0) } ?? String(stream.description.prefix(8))
  }

  static func gap(_ gap: ImportReport.Gap) -> String {
    "missing from \(device(gap.stream, name: gap.name)): \(transactions([gap.first...gap.last])),"
      + " since \(ReportJSON.time(gap.since))"
  }

  /// Transactions by their numbers, such as "transactions 3-7, 9", of which there are some.
  static func transactions(_ ranges: [ClosedRange<UInt64>], more: Bool = false) -> String {
    let texts = ranges.map { range in
      range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
    }
    let isOne = ranges.count == 1 && ranges[0].count == 1 && !more
    return (isOne ? "transaction " : "transactions ") + texts.joined(separator: ", ")
      + (more ? " and others" : "")
  }

  /// Since when something of a stream is missing, and the last resort.
  static func missing(_ stream: StreamSummary) -> String? {
    stream.gapSince.map { since in
      "something missing since \(ReportJSON.time(since)) (if it never comes: 'feedsync devices"
        + " skip \(stream.stream.description.prefix(8))')"
    }
  }

  /// What is out of the ordinary with a device's stream.
  static func standing(_ stream: StreamSummary) -> [String] {
    var parts: [String] = []
    if stream.branches > 1 {
      parts.append("\(stream.branches) branches: it was copied or restored")
    }
    if stream.wasOwn { parts.append("this device, until it was copied, restored or rebuilt") }
    if let lost = stream.givenUp {
      parts.append("missing ones up to \(lost.last) given up \(ReportJSON.time(lost.at))")
    }
    if let since = stream.retiredAt { parts.append("retired \(ReportJSON.time(since))") }
    if let time = stream.returnedAt {
      parts.append("back: something of it has arrived since, last \(ReportJSON.time(time))")
    }
    return parts
  }

  static func setAside(_ record: FileRecord) -> String {
    let detail = record.detail.map { " (\($0))" } ?? ""
    return "set aside: \(NameText.escaped(record.key.path)): \(record.reason.rawValue)\(detail)"
  }
}
