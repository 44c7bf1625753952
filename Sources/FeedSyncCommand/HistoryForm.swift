import CanonicalJSON
import FeedSync
import Foundation

/// How a transaction of a document's history is printed.
enum HistoryForm {
  static func json(_ entry: HistoryEntry) -> JSON {
    .object([
      "changes": .array(entry.changes.map { .object(json($0)) }),
      "device": .object([
        "id": .text(entry.device.id), "name": entry.device.name.map { .text($0) } ?? .null,
      ]),
      "event": .text(entry.event.rawValue),
      "time": .text(time(entry.time)),
      "transaction": .text(entry.transaction.description),
    ])
  }

  /// A member that is not there has no value: null is one.
  private static func json(_ change: MemberChange) -> JSONObject {
    var object: JSONObject = ["path": .text(change.path)]
    if let kind = change.kind { object["kind"] = .text(kind.rawValue) }
    if let old = change.old { object["old"] = old }
    if let new = change.new { object["new"] = new }
    if let (outcome, transaction) = change.outcome.map({ parts(of: $0) }) {
      object["outcome"] = .text(outcome)
      if let transaction { object["by"] = .text(transaction.description) }
    }
    if !change.lost.isEmpty {
      object["lost"] = .array(
        change.lost.map {
          ["transaction": .text($0.transaction.description), "value": $0.value]
        })
    }
    return object
  }

  private static func parts(
    of outcome: MemberChange.Outcome
  ) -> (name: String, by: TransactionID?) {
    switch outcome {
    case .shown: ("shown", nil)
    case .superseded(let by): ("superseded", by)
    case .lost(let to): ("lost", to)
    case .deleted(let by): ("deleted", by)
    }
  }

  static func time(_ date: Date) -> String {
    ReportJSON.time(Int64((date.timeIntervalSince1970 * 1000).rounded()))
  }

  static func text(_ entry: HistoryEntry) -> [String] {
    let who = entry.device.name.map { NameText.escaped($0) } ?? "unnamed device"
    let head = "\(time(entry.time))  \(entry.event.rawValue) by \(who)  \(entry.transaction)"
    return [head] + entry.changes.flatMap { text($0) }
  }

  private static func text(_ change: MemberChange) -> [String] {
    let path = change.path.isEmpty ? "(document)" : NameText.escaped(change.path)
    var line = "  \(path): "
    switch (change.old, change.new) {
    case (nil, let new?): line += short(new)
    case (let old?, nil): line += "\(short(old)) -> nothing"
    case (let old?, let new?) where old == new: line += "\(short(new)) stays"
    case (let old?, let new?): line += "\(short(old)) -> \(short(new))"
    case (nil, nil): line += "nothing"
    }
    if let note = change.outcome.flatMap({ note($0) }) { line += "  (\(note))" }
    return [line]
      + change.lost.map { "    lost: \(short($0.value)), written in \($0.transaction)" }
  }

  private static func note(_ outcome: MemberChange.Outcome) -> String? {
    switch outcome {
    case .shown: nil
    case .superseded(let by): "superseded in \(by)"
    case .lost(let to): "lost against \(to)"
    case .deleted(let by): "deleted in \(by)"
    }
  }

  private static let shownCharacters = 100

  static func short(_ value: JSON) -> String {
    let text = value.canonical
    return text.count <= shownCharacters ? text : text.prefix(shownCharacters) + "..."
  }
}
