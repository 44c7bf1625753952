import ArgumentParser
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
  /// - parameter wrapping: how deep in it is what is held to the limit on documents.
  static func json(_ bytes: [UInt8], operation: String, wrapping: Int = 0) throws -> JSON {
    do {
      let depth = JSONLimits().maximumDepth + wrapping
      return try JSON(parsing: bytes, limits: JSONLimits(maximumDepth: depth))
    } catch {
      throw FeedSyncError(
        .badInput, operation: operation, message: "the JSON is not acceptable: \(error)")
    }
  }

  /// The argument itself, or standard input for `-`.
  static func content(_ argument: String) throws -> [UInt8] {
    guard argument == "-" else { return Array(argument.utf8) }
    // Escapes may be six times as long as what they stand for.
    let limit = Limits.bodyBytes * 8
    let bytes = try StandardInput.read(enough: limit + 1)
    guard bytes.count <= limit else {
      throw FeedSyncError(
        .badInput, operation: "read standard input", message: "the document is too large")
    }
    return bytes
  }
}
