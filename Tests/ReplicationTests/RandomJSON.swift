import CanonicalJSON
import ReferenceModel

@testable import Replication

/// Random documents and edits over few keys and values, so that devices meet at the same paths.
extension SplitMix {
  mutating func document() -> JSON { document(.meeting) }
  mutating func edited(_ body: JSON) -> JSON { edited(body, .meeting) }
  mutating func patch() -> JSON { patch(.meeting) }

  /// The path of a member, one or two keys deep; one more often, so that devices meet.
  mutating func memberPath() -> Path {
    if chance(40) { return Path(keys: ["a"]) }
    return Path(keys: (0..<(chance(70) ? 1 : 2)).map { _ in Vocabulary.meeting.key(&self) })
  }

  /// An edit of a counter or a set, few elements being around.
  mutating func kindEdit() -> KindEdit {
    guard chance(50) else { return .increment(Int64(below(7) - 2)) }
    let adding = (0..<below(3)).map { _ in SetElement(.integer(Int64(below(3)))) }
    let removing = (0..<below(2)).map { _ in SetElement(.integer(Int64(below(3)))) }
    return .elements(adding: Set(adding), removing: Set(removing))
  }

  /// A kind that only a newer version understands, with any envelope.
  mutating func newerKind() -> OperationKind {
    OperationKind(
      code: UInt8(OperationKind.known.count + below(3)),
      cover: pick([.nothing, .path, .path, .document]), carriesValue: chance(60))
  }
}
