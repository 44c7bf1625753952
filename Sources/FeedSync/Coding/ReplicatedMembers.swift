import CanonicalJSON
import Replication

/// A property that is written as what was done to it.
protocol ReplicatedMember {
  var replicatedKind: ReplicatedKind { get }
}

extension Counter: ReplicatedMember {
  var replicatedKind: ReplicatedKind { .counter }
}

extension ReplicatedSet: ReplicatedMember {
  var replicatedKind: ReplicatedKind { .set }
}

/// The counters and sets met while a value is encoded, by their paths.
///
/// Those inside arrays are none: an array is one value.
final class ReplicatedMembers {
  private(set) var byPath: [Path: any ReplicatedMember] = [:]

  func note(_ member: any ReplicatedMember, at path: [any CodingKey]) {
    guard !path.isEmpty else { return }
    byPath[Path(keys: path.map { ByteString($0.stringValue) })] = member
  }

  var kinds: [Path: ReplicatedKind] { byPath.mapValues(\.replicatedKind) }
}

/// A value as JSON, and the counters and sets in it.
struct EncodedMembers {
  var json: JSON
  let members: ReplicatedMembers

  init(_ value: some Encodable) throws {
    members = ReplicatedMembers()
    json = try DocumentEncoder().encode(value, collecting: members)
  }

  /// Takes out the edits of counters and sets that lead here from `old`: in this value, those
  /// members are as they were.
  ///
  /// What was not there, and a counter that starts anew, is left to be written as a value.
  mutating func takeEdits(since old: EncodedMembers) throws -> [(path: Path, edit: KindEdit)] {
    var edits: [(path: Path, edit: KindEdit)] = []
    for (path, member) in members.byPath.sorted(by: { $0.key < $1.key }) {
      let keys = path.keys[...]
      guard let was = old.members.byPath[path], let before = old.json.member(at: keys),
        let after = json.member(at: keys), before != after
      else { continue }
      if let counter = member as? Counter {
        guard let was = was as? Counter, let amount = counter.amount(since: was) else { continue }
        edits.append((path, .increment(amount)))
      } else {
        guard case .array(let old) = before, case .array(let new) = after else { continue }
        let (adding, removing) = (Set(new).subtracting(old), Set(old).subtracting(new))
        edits.append(
          (
            path,
            .elements(
              adding: try DocumentRules.elements(Array(adding), operation: "update"),
              removing: Set(removing.map { SetElement($0) }))
          ))
      }
      json.replace(at: keys, with: before)
    }
    return edits
  }
}

extension JSON {
  fileprivate func member(at keys: ArraySlice<ByteString>) -> JSON? {
    guard let key = keys.first else { return self }
    guard case .object(let object) = self else { return nil }
    return object[key]?.member(at: keys.dropFirst())
  }

  fileprivate mutating func replace(at keys: ArraySlice<ByteString>, with value: JSON) {
    guard let key = keys.first else {
      self = value
      return
    }
    guard case .object(var object) = self, var member = object[key] else { return }
    member.replace(at: keys.dropFirst(), with: value)
    object[key] = member
    self = .object(object)
  }
}
