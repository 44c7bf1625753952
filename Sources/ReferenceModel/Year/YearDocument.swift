import CanonicalJSON

/// What is written into a year's documents: notes of some members, each with a version.
///
/// A value is a function of the document, the member and the version alone, and no version has the
/// value of the one before: so how often each member was written tells what shows.
package enum YearDocument {
  /// How many members a document has.
  package static let members = 6
  static let title = 0

  private static let names: [ByteString] = ["title", "text", "isRead", "readAt", "tags", "count"]
  private static let words = [
    "river", "paper", "of", "the", "green", "north", "a", "letter", "window", "garden", "and",
    "old", "train", "winter", "under", "stone", "with", "music", "long", "road", "first", "light",
    "house", "morning", "three", "salt", "bread", "island", "not", "every", "glass", "field",
  ]

  /// Its id in the collection; no two are alike, and they sort in another order than their numbers.
  package static func id(of document: Int) -> String {
    let mixed = SplitMix.mixed(UInt64(document) &+ 0x5EED)
    return "note-" + String(mixed >> 24, radix: 16) + "-" + String(document, radix: 36)
  }

  /// The members of a mask, one bit each, as they are in some versions.
  package static func object(
    _ document: Int, members mask: UInt8, versions: [UInt16]
  ) -> JSONObject {
    var object = JSONObject()
    for member in 0..<members where mask & (1 << UInt8(member)) != 0 {
      object[names[member]] = value(document, member, versions[member])
    }
    return object
  }

  /// What the traveller writes into a document, and nobody else writes anywhere.
  package static func travelNote(_ document: Int) -> String { "seen on the way, \(document)" }

  /// A patch of the traveller's.
  package static func travelPatch(_ document: Int) -> JSON {
    .object(["title": .string(ByteString(travelNote(document)))])
  }

  private static func value(_ document: Int, _ member: Int, _ version: UInt16) -> JSON {
    let key = UInt64(document) << 24 | UInt64(member) << 16 | UInt64(version)
    var random = SplitMix(seed: SplitMix.mixed(key))
    switch member {
    case 0: return .string(text(4 + random.below(4), version, &random))
    case 1: return .string(text(6 + random.below(24), version, &random))
    case 2: return .bool(version % 2 == 1)
    case 3: return .integer(1_700_000_000_000 + Int64(random.below(1 << 30)) * 16 + Int64(version))
    case 4:
      let tags = (0..<random.below(3)).map { _ in JSON.string(ByteString(random.pick(words))) }
      return .array(tags + [.integer(Int64(version))])
    default: return .integer(Int64(version))
    }
  }

  private static func text(
    _ count: Int, _ version: UInt16, _ random: inout SplitMix
  ) -> ByteString {
    var parts = (0..<count).map { _ in random.pick(words) }
    parts.append("\(version)")
    return ByteString(parts.joined(separator: " "))
  }
}
