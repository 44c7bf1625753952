import DocumentStorage
import Foundation
import Replication
import SegmentFormat

/// Version tokens as text that a script can keep and hand back: base64url without padding.
package enum VersionTokenText {
  private static let version: UInt8 = 1
  private static let checkBytes = 4

  package static func encode(_ token: Replication.VersionToken) -> String {
    var bytes: [UInt8] = [version]
    append(token.context, to: &bytes)
    let form = Form(of: token)
    bytes.append(form.rawValue)
    if form != .closed { append(token.seen, to: &bytes) }
    if form >= .open { append(token.applied, to: &bytes) }
    if form == .noted { append(token.grounds, to: &bytes) }
    bytes.appendVarint(UInt64(token.inserts.count))
    for insert in token.inserts {
      bytes.append(contentsOf: insert.stream.bytes)
      bytes.appendVarint(insert.sequence)
      bytes.appendVarint(UInt64(insert.index))
    }
    bytes.appendVarint(UInt64(token.nodes.count))
    for (path, value) in token.nodes.sorted(by: { $0.key < $1.key }) {
      bytes.append(bigEndian: path)
      bytes.append(bigEndian: value)
    }
    bytes.append(contentsOf: check(of: bytes))
    return Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  /// Reads a token; nil if it is none, or was changed on its way.
  package static func decode(_ text: String) -> Replication.VersionToken? {
    content(of: text).flatMap { try? token(from: $0) }
  }

  /// Whether a text is a token that only a newer version can read: it is whole.
  package static func isNewer(_ text: String) -> Bool {
    content(of: text) != nil && decode(text) == nil
  }

  /// What a text says that has come as it was made.
  private static func content(of text: String) -> [UInt8]? {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: plain + padding), data.count > checkBytes else {
      return nil
    }
    let bytes = [UInt8](data)
    let content = Array(bytes.dropLast(checkBytes))
    return check(of: content).elementsEqual(bytes.suffix(checkBytes)) ? content : nil
  }

  private static func token(from bytes: [UInt8]) throws -> Replication.VersionToken? {
    var reader = ByteReader(bytes)
    guard try reader.byte() == version else { return nil }
    let context = try context(from: &reader)
    guard let form = Form(rawValue: try reader.byte()) else { return nil }
    let seen = form == .closed ? context : try self.context(from: &reader)
    let applied = form >= .open ? try self.context(from: &reader) : seen
    let grounds = form == .noted ? try self.grounds(from: &reader) : [:]
    var inserts: [Dot] = []
    for _ in 0..<(try reader.count(of: 18)) {
      inserts.append(
        Dot(
          stream: try reader.identifier(), sequence: try reader.varint(),
          index: UInt32(truncatingIfNeeded: try reader.varint())))
    }
    var nodes: [UInt64: UInt64] = [:]
    for _ in 0..<(try reader.count(of: 16)) {
      nodes[try reader.unsigned64()] = try reader.unsigned64()
    }
    return Replication.VersionToken(
      context: context, seen: seen, applied: applied, grounds: grounds, inserts: inserts,
      nodes: nodes)
  }

  /// What follows the context that may be claimed.
  private enum Form: UInt8, Comparable {
    /// Nothing: it is all that was seen.
    case closed
    /// What was seen, all of which had been applied.
    case seen
    /// What was seen, then what of it had been applied.
    case open
    /// That, then what led up to the transactions that had not closed.
    case noted

    init(of token: Replication.VersionToken) {
      if !token.grounds.isEmpty {
        self = .noted
      } else if token.applied != token.seen {
        self = .open
      } else {
        self = token.seen == token.context ? .closed : .seen
      }
    }

    static func < (lhs: Form, rhs: Form) -> Bool { lhs.rawValue < rhs.rawValue }
  }

  private static func append(_ context: Context, to bytes: inout [UInt8]) {
    append(context.entries, to: &bytes)
  }

  private static func append(_ entries: [Context.Entry], to bytes: inout [UInt8]) {
    bytes.appendVarint(UInt64(entries.count))
    for entry in entries {
      bytes.append(contentsOf: entry.stream.bytes)
      bytes.appendVarint(entry.sequence)
      bytes.append(contentsOf: entry.fingerprint.bytes)
    }
  }

  /// All entries, each once, then the transactions' and those of what led up to each by number:
  /// they have most in common.
  private static func append(
    _ grounds: [Context.Entry: Context], to bytes: inout [UInt8]
  ) {
    let all = Context(Set(grounds.keys).union(grounds.values.flatMap(\.entries))).entries
    let numbers = Dictionary(uniqueKeysWithValues: zip(all, 0 as UInt64..<UInt64(all.count)))
    append(all, to: &bytes)
    bytes.appendVarint(UInt64(grounds.count))
    for transaction in all {
      guard let number = numbers[transaction], let ground = grounds[transaction] else { continue }
      bytes.appendVarint(number)
      bytes.appendVarint(UInt64(ground.entries.count))
      for number in ground.entries.compactMap({ numbers[$0] }) { bytes.appendVarint(number) }
    }
  }

  private static func grounds(
    from reader: inout ByteReader
  ) throws -> [Context.Entry: Context] {
    let all = try entries(from: &reader)
    func entry(_ reader: inout ByteReader) throws -> Context.Entry {
      let number = try reader.varint()
      guard number < UInt64(all.count) else {
        throw SegmentError.damaged("a number exceeds the list")
      }
      return all[Int(number)]
    }
    var grounds: [Context.Entry: Context] = [:]
    for _ in 0..<(try reader.count(of: 2)) {
      let transaction = try entry(&reader)
      let ground = try (0..<(try reader.count(of: 1))).map { _ in try entry(&reader) }
      grounds[transaction] = Context(ground)
    }
    return grounds
  }

  private static func context(from reader: inout ByteReader) throws -> Context {
    Context(try entries(from: &reader))
  }

  private static func entries(from reader: inout ByteReader) throws -> [Context.Entry] {
    var entries: [Context.Entry] = []
    for _ in 0..<(try reader.count(of: 33)) {
      entries.append(
        Context.Entry(
          stream: try reader.identifier(), sequence: try reader.varint(),
          fingerprint: try reader.identifier()))
    }
    return entries
  }

  private static func check(of bytes: [UInt8]) -> [UInt8] {
    let digest = Digest.first64(bytes)
    return (0..<checkBytes).map { UInt8(truncatingIfNeeded: digest >> UInt64(8 * $0)) }
  }
}
