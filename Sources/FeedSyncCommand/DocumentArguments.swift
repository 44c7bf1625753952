import CanonicalJSON
import FeedSync
import Foundation
import Replication

/// Turns what a user typed into keys and bodies, or says what is wrong with it.
enum DocumentArguments {
  /// A body: an object, within the limits.
  static func body(_ bytes: [UInt8], operation: String) throws -> JSON {
    let body = try json(bytes, operation: operation)
    try DocumentRules.check(body, operation: operation)
    return body
  }

  /// Any JSON.
  ///
  /// - parameters:
  ///   - wrapping: how deep in it is what is held to the limit on documents.
  ///   - hint: what may have been meant where it is none.
  static func json(
    _ bytes: [UInt8], operation: String, wrapping: Int = 0, hint: String? = nil
  ) throws -> JSON {
    do {
      let depth = JSONLimits().maximumDepth + wrapping
      return try JSON(parsing: bytes, limits: JSONLimits(maximumDepth: depth))
    } catch {
      throw FeedSyncError(
        .badInput, operation: operation, message: "the JSON is not acceptable: \(error)",
        hint: hint)
    }
  }

  /// For an argument that is no JSON, such as a word.
  static func quotingHint(_ text: String) -> String {
    "'\(text)' is no JSON value: text is written in quotes of its own, as '\"milk\"'"
  }

  /// A version token: the argument itself, or what a file ends with for `@FILE`.
  ///
  /// It has some twenty characters for each value of the document, and the kernel hands no argument
  /// to a program that is longer than 128 KiB. What 'get --token' says on standard error has
  /// warnings in front of it.
  static func token(_ argument: String, operation: String) throws -> Replication.VersionToken {
    var text = argument
    var file: String?
    if argument.hasPrefix("@") {
      let name = String(argument.dropFirst())
      let content = try StandardInput.contents(of: name, limit: sizeLimit, operation: operation)
      text = String(decoding: content, as: UTF8.self)
      file = name
    }
    let last = text.split(whereSeparator: \.isNewline).last { !$0.allSatisfy(\.isWhitespace) }
    let plain = String(last ?? "")
    if let token = VersionTokenText.decode(plain) { return token }
    let isNewer = VersionTokenText.isNewer(plain)
    throw FeedSyncError(
      .badInput, operation: operation, file: file,
      message: isNewer
        ? "a newer feedsync has made the version token of --base" : "--base is not a version token",
      hint: isNewer
        ? "read the document here, and use its token"
        : "use what 'feedsync get --token' prints on standard error, or @FILE for what it has"
          + " printed into a file")
  }

  /// Escapes may be six times as long as what they stand for.
  private static let sizeLimit = Limits.bodyBytes * 8

  /// The argument itself, or standard input for `-`.
  static func content(_ argument: String) throws -> [UInt8] {
    guard argument == "-" else { return Array(argument.utf8) }
    let bytes = try StandardInput.read(enough: sizeLimit + 1)
    guard bytes.count <= sizeLimit else {
      throw FeedSyncError(
        .badInput, operation: "read standard input", message: "the document is too large")
    }
    return bytes
  }
}
