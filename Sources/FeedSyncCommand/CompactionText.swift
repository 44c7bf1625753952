import CanonicalJSON
import DocumentStorage
import FeedSync
import Replication
import Syncing

/// What a compaction did, or would do.
enum CompactionText {
  static func done(_ report: CompactionReport) -> String {
    var text =
      "joined \(CountText.of(report.joined, "file")) into \(report.written);"
      + " removed \(report.removed.count) that larger ones took the place of"
    if report.dropped > 0 { text += "; dropped \(CountText.of(report.dropped, "dead edit"))" }
    if report.waiting > 0 {
      text += "; \(CountText.of(report.waiting, "stays", "stay")) for now"
    }
    return text + done(report.blobs)
  }

  static func json(_ report: CompactionReport) -> JSON {
    .object([
      "joined": .number(report.joined), "written": .number(report.written),
      "transactions": .number(report.writtenTransactions), "bytes": .number(report.writtenBytes),
      "removed": .number(report.removed.count), "waiting": .number(report.waiting),
      "dropped": .number(report.dropped),
      "blobs": .object([
        "copied": .number(report.blobs.copied), "removed": .number(report.blobs.removed.count),
        "removed_bytes": .number(report.blobs.removedBytes),
        "waiting": .number(report.blobs.waiting),
      ]),
    ])
  }

  /// What became of attachments' content; nothing where there is nothing to say.
  private static func done(_ blobs: BlobReport) -> String {
    var text = ""
    if blobs.copied > 0 { text += "; copied \(CountText.of(blobs.copied, "attachment")) of others" }
    if !blobs.removed.isEmpty {
      text +=
        "; removed \(CountText.of(blobs.removed.count, "attachment")) that nothing refers to, with"
        + " \(CountText.of(blobs.removedBytes, "byte"))"
    }
    if blobs.waiting > 0 {
      text +=
        "; \(CountText.of(blobs.waiting, "attachment")) that nothing refers to"
        + " \(CountText.of(blobs.waiting, either: "stays", or: "stay")) for now"
    }
    return text
  }

  /// What the folder holds, and of whom.
  ///
  /// - parameter start: what a device's line begins with.
  static func holdings(
    _ survey: CompactionSurvey, names: [StreamID: String?], start: String = "from"
  ) -> [String] {
    ["the folder holds \(text(survey.all))"]
      + survey.streams.map { found in
        "\(start) \(ReportText.device(found.stream, name: names[found.stream] ?? nil)):"
          + " \(text(found.files))"
      }
  }

  static func lines(_ survey: CompactionSurvey, names: [StreamID: String?]) -> [String] {
    var lines = holdings(survey, names: names)
    if survey.joined > 0 {
      let files = CountText.of(survey.joined, "file")
      lines.append("\(files) of this device would become \(survey.written)")
    }
    if survey.removable.count > 0 {
      lines.append("\(text(survey.removable)) would go: larger ones have the content")
    }
    if survey.waiting.count > 0 {
      let until = survey.waitsUntil.map { ", or until \(ReportJSON.time($0))" }
      lines.append(
        "\(text(survey.waiting)) would stay until another device says that it has the content"
          + (until ?? "; what is to take the place is not whole in the folder"))
    }
    return lines + DeadText.lines(survey.dead) + PeerText.lines(survey)
  }

  static func text(_ files: CompactionSurvey.Files) -> String {
    "\(CountText.of(files.count, "file")) with \(CountText.of(files.bytes, "byte"))"
  }

  static func json(_ survey: CompactionSurvey, names: [StreamID: String?]) -> JSON {
    .object([
      "files": .number(survey.all.count), "bytes": .number(survey.all.bytes),
      "devices": devices(survey, names: names),
      "join": .object(["files": .number(survey.joined), "into": .number(survey.written)]),
      "remove": json(survey.removable),
      "wait": .object([
        "files": .number(survey.waiting.count), "bytes": .number(survey.waiting.bytes),
        "until": survey.waitsUntil.map { .text(ReportJSON.time($0)) } ?? .null,
      ]),
      "dead": DeadText.json(survey.dead), "peers": PeerText.json(survey.peers),
    ])
  }

  /// What the folder holds, by device.
  static func devices(_ survey: CompactionSurvey, names: [StreamID: String?]) -> JSON {
    .array(
      survey.streams.map { found in
        .object([
          "device": ReportJSON.device(found.stream, name: names[found.stream] ?? nil),
          "files": .number(found.files.count), "bytes": .number(found.files.bytes),
        ])
      })
  }

  private static func json(_ files: CompactionSurvey.Files) -> JSON {
    .object(["files": .number(files.count), "bytes": .number(files.bytes)])
  }
}
