import CanonicalJSON
import Replication
import SegmentFormat

/// The place of a member in documents that an index is declared for.
///
///     try MemberPath("/author/name").expressions.first  // body ->> '$.author.name'
package struct MemberPath: Hashable, Sendable {
  package let path: Path

  /// Why a text names no member that can be indexed.
  package enum Problem: Error, Equatable, Sendable {
    /// It is neither a JSON Pointer, nor SQLite's `$.a.b`, nor a name.
    case unreadable
    /// It names the document as a whole.
    case root
    /// It names an element of an array; arrays are one value.
    case element
    /// SQLite's paths cannot name this key.
    case key(String)
    /// It is deeper than documents are.
    case deep
  }

  /// Reads a JSON Pointer (`/author/name`), SQLite's form (`$.author.name`) or a name (`author`).
  package init(_ text: String) throws {
    path = try Self.path(text)
    for key in path.keys where !Self.isNameable(key) { throw Problem.key(key.description) }
  }

  /// Reads the same forms, for uses to which all keys are welcome.
  package static func path(_ text: String) throws -> Path {
    let path: Path
    switch text.utf8.first {
    case nil: throw Problem.root
    case UInt8(ascii: "/"):
      guard let pointed = Path(pointer: text) else { throw Problem.unreadable }
      path = pointed
    case UInt8(ascii: "$"): path = Path(keys: try Self.keys(ofSQLitePath: text))
    default: path = Path.root.appending(ByteString(text))
    }
    guard !path.isRoot else { throw Problem.root }
    guard path.keys.count <= Limits.depth else { throw Problem.deep }
    return path
  }

  /// The path as a JSON Pointer.
  package var pointer: String { path.pointer }

  /// What statements may write for the member so that the index serves them.
  package var expressions: [String] { spellings.map { $0.expression("body") } }

  // MARK: Indexes

  /// A way of writing the member in SQL; SQLite needs an index for each.
  struct Spelling {
    /// What tells its index from the others'.
    let suffix: String
    /// The expression, of a column or expression that holds the body.
    let expression: @Sendable (String) -> String
  }

  var spellings: [Spelling] {
    let literal = Self.literal(sqlitePath)
    var spellings = [
      Spelling(suffix: "arrow") { "\($0) ->> \(literal)" },
      Spelling(suffix: "extract") { "json_extract(\($0), \(literal))" },
    ]
    if let name = bareName {
      let name = Self.literal(name)
      spellings.append(Spelling(suffix: "name") { "\($0) ->> \(name)" })
    }
    return spellings
  }

  /// The name of the index of a spelling: the same for the same path, whoever declared it.
  func indexName(of spelling: Spelling) -> String {
    let digest = String(Digest.first64(path.bytes.array), radix: 16)
    return "member_\(digest)_\(spelling.suffix)"
  }

  /// The path as SQLite writes it: `$.author."first name"`.
  var sqlitePath: String {
    path.keys.reduce("$") { text, key in
      text + (Self.isWord(key) ? ".\(key)" : ".\"\(key)\"")
    }
  }

  /// The name alone, where SQLite reads that as the member: `body ->> 'author'`.
  private var bareName: String? {
    guard path.keys.count == 1, let key = path.lastKey, Self.isWord(key),
      let first = key.bytes.first, !Self.isDigit(first), first != UInt8(ascii: "-")
    else { return nil }
    return key.description
  }

  private static func literal(_ text: String) -> String {
    "'\(text.replacing("'", with: "''"))'"
  }
}

// MARK: - Keys

extension MemberPath {
  /// Whether a key consists of what needs no quotation marks in SQLite's paths.
  private static func isWord(_ key: ByteString) -> Bool {
    !key.bytes.isEmpty
      && key.bytes.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "_"), UInt8(ascii: "-"), 0x80...:
          true
        default: isDigit(byte)
        }
      }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// SQLite compares keys with their escapes, differently in different versions.
  private static func isNameable(_ key: ByteString) -> Bool {
    key.bytes.allSatisfy { byte in
      byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
  }

  private static func keys(ofSQLitePath text: String) throws -> [ByteString] {
    var rest = Array(text.utf8)[...].dropFirst()
    var keys: [ByteString] = []
    while let mark = rest.first {
      guard mark == UInt8(ascii: ".") else {
        throw mark == UInt8(ascii: "[") ? Problem.element : Problem.unreadable
      }
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "\"") {
        rest = rest.dropFirst()
        guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { throw Problem.unreadable }
        keys.append(ByteString(unchecked: Array(rest[..<end])))
        rest = rest[(end + 1)...]
      } else {
        let key = rest.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
        guard !key.isEmpty else { throw Problem.unreadable }
        keys.append(ByteString(unchecked: Array(key)))
        rest = rest[key.endIndex...]
      }
    }
    return keys
  }
}
