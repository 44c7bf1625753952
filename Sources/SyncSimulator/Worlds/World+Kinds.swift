import CanonicalJSON
import DocumentStorage
import ReferenceModel
import Replication

/// What users do with counters and sets.
extension World {
  /// Edits a counter or a set; nil where something else stands there, or nothing changes.
  ///
  /// - parameter mayShowMore: whether something is missing here.
  func edit(
    _ step: Step.Kind, _ key: DocumentKey, _ writer: inout StoreWriter, on machine: Machine,
    mayShowMore: Bool, _ random: inout SplitMix
  ) throws -> Edit? {
    let before = try writer.body(at: key).map { try JSON(parsing: $0) }
    let path: [ByteString] =
      (random.chance(75) ? [] : ["a"]) + [step == .count ? "n" : "s"]
    let old = before?.value(at: path)
    if path.count > 1, let above = before?.value(at: ["a"]) {
      guard case .object = above else { return nil }
    }
    let change = step == .count ? count(old, at: path, &random) : collect(old, at: path, &random)
    guard let (kind, edit, new) = change,
      let place = Path(pointer: path.map { "/\($0)" }.joined())
    else { return nil }
    let result = try writer.edit(edit, at: place, of: key) { _ in }
    note("    \(kind) on \(key.id), which is \(result)")
    let after = try writer.body(at: key).map { try JSON(parsing: $0) }
    let wanted = (before ?? .object(JSONObject())).setting(new, at: path[...])
    guard result == .changed || new == old else {
      throw Finding("\(kind) on \(key.id) is \(result), and changes something")
    }
    // Of a document that does not show since its insert has not arrived, there may be increments
    // and elements, which now show with the new ones.
    let isMore = mayShowMore && before == nil && after?.value(at: path) != nil
    guard result != .changed || after == wanted || isMore else {
      throw Finding(
        "device \(machine.number) wanted \(wanted.canonical) in \(key.id), and"
          + " \(after?.canonical ?? "nothing") shows")
    }
    guard result == .changed else { return nil }
    figures.kinds += 1
    return Edit(
      kind: kind, key: key, before: before, after: after, named: [Array(path.prefix(1))])
  }

  private typealias Change = (kind: Promise.Kind, edit: KindEdit, new: JSON)

  private func count(
    _ old: JSON?, at path: [ByteString], _ random: inout SplitMix
  ) -> Change? {
    var number: Int64 = 0
    switch old {
    case nil: break
    case .integer(let present)?: number = present
    default: return nil
    }
    // Mostly what people count: then sums meet that have counted different things.
    let amount = random.chance(50) ? random.pick([1, 1, -1]) : Int64(random.below(2000)) - 300
    return (.increment(path, amount), .increment(amount), .integer(number + amount))
  }

  private func collect(
    _ old: JSON?, at path: [ByteString], _ random: inout SplitMix
  ) -> Change? {
    guard old == nil || old?.elements != nil else { return nil }
    let present = (old?.elements ?? []).sorted(by: Self.precedes)
    if !present.isEmpty, random.chance(40) {
      let removed: Set<JSON> = [random.pick(present)]
      return (
        .remove(path, removed), Self.edit(removing: removed),
        .array(present.filter { !removed.contains($0) })
      )
    }
    // Some are added on several devices.
    let element: JSON =
      random.chance(40) ? .integer(Int64(random.below(4))) : .integer(Int64(random.next() >> 20))
    let elements = present.contains(element) ? present : present + [element]
    return (
      .add(path, [element]), Self.edit(adding: [element]),
      .array(elements.sorted(by: Self.precedes))
    )
  }

  private static func edit(
    adding: Set<JSON> = [], removing: Set<JSON> = []
  ) -> KindEdit {
    .elements(
      adding: Set(adding.map { SetElement($0) }), removing: Set(removing.map { SetElement($0) }))
  }

  /// The order in which a set shows: that of the elements' text.
  private static func precedes(_ first: JSON, _ second: JSON) -> Bool {
    first.canonicalBytes().lexicographicallyPrecedes(second.canonicalBytes())
  }
}

extension JSON {
  /// The same with `value` at a path of keys, through objects that are made where there are none.
  fileprivate func setting(_ value: JSON, at path: ArraySlice<ByteString>) -> JSON {
    guard let key = path.first else { return value }
    guard case .object(var object) = self else { return self }
    object[key] = (object[key] ?? .object(JSONObject())).setting(value, at: path.dropFirst())
    return .object(object)
  }
}
