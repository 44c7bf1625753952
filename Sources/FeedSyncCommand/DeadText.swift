import CanonicalJSON
import FeedSync
import Syncing

/// What is dead, and what keeps it.
enum DeadText {
  static func lines(_ dead: CompactionSurvey.Dead) -> [String] {
    let held = CompactionSurvey.Hold.allCases.compactMap { hold in
      dead.held[hold].map {
        "of \($0) of the streams that are looked after here nothing is dropped: \(reason(hold))"
      }
    }
    guard dead.operations > 0 else { return held }
    var lines = [
      "about \(CountText.of(dead.bytes, "byte")) of this device's"
        + " \(CountText.of(dead.bytes, either: "is", or: "are")) dead: \(dead.operations) of"
        + " \(CountText.of(dead.total, "edit")) written over or deleted"
    ]
    if dead.due > 0 {
      lines.append("\(dead.due) of them would be dropped, where a file becomes smaller by that")
    }
    for keeper in CompactionSurvey.Keeper.allCases {
      guard let count = dead.kept[keeper] else { continue }
      let until = keeper == .grace ? dead.graceUntil.map { " until \(ReportJSON.time($0))" } : nil
      let stay = CountText.of(count, either: "stays", or: "stay")
      lines.append("\(count) of them \(stay)\(until ?? ""): \(reason(keeper))")
    }
    if dead.undecided > 0 {
      lines.append(
        "of \(CountText.of(dead.undecided, "file")) it cannot be told what is dead, until all has"
          + " arrived that others have seen")
    }
    return lines + held
  }

  private static func reason(_ hold: CompactionSurvey.Hold) -> String {
    switch hold {
    case .branching: "it goes on in two ways, since its device was copied or put back"
    case .skipped: "something of it was missing and was given up with 'devices skip'"
    case .waiting: "what a file of it says was dropped has not been taken out here yet"
    }
  }

  private static func reason(_ keeper: CompactionSurvey.Keeper) -> String {
    switch keeper {
    case .setting: "nothing is forgotten here, since you said 'settings set forget no'"
    case .small: "they are in small files, which are joined first"
    case .grace: "the grace, in which one may see and undo what was written over"
    case .device: "a device has not said yet that it has what they were written over by"
    case .unpublished: "what they were written over by is not in the folder yet"
    case .unread:
      "a file of the same directory has not been imported or is damaged, or the directory is away"
    case .untold:
      "the folder lacks a file that tells what was dropped before; 'import' puts it back"
    case .skipped: "what was missing was given up with 'devices skip', so nothing is dropped here"
    case .few: "they are too few of their file, or that would become hardly smaller"
    }
  }

  static func json(_ dead: CompactionSurvey.Dead) -> JSON {
    var kept = JSONObject()
    for keeper in CompactionSurvey.Keeper.allCases {
      kept[ByteString(keeper.rawValue)] = .number(dead.kept[keeper] ?? 0)
    }
    var held = JSONObject()
    for hold in CompactionSurvey.Hold.allCases {
      held[ByteString(hold.rawValue)] = .number(dead.held[hold] ?? 0)
    }
    return .object([
      "operations": .number(dead.operations), "of": .number(dead.total),
      "bytes": .number(dead.bytes), "due": .number(dead.due), "kept_by": .object(kept),
      "grace_until": dead.graceUntil.map { .text(ReportJSON.time($0)) } ?? .null,
      "undecided_files": .number(dead.undecided), "held_streams": .object(held),
    ])
  }
}
