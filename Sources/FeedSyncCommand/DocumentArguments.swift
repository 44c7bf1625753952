import ArgumentParser
import CanonicalJSON
import FeedSync
import Foundation
import Replication

/// Turns what a user typed into keys and bodies, or says what is wrong with it.
enum DocumentArguments {
  static func key(_ collection: String, _ id: String) throws -> DocumentKey {
    let key = DocumentKey(collection: ByteString(collection), id: ByteString(id))
    if let problem = key.problem { throw error(problem) }
    return key
  }

  static func error(_ problem: DocumentKey.Problem, operation: String = "name a document")
    -> FeedSyncError
  {
    let message =
      switch problem {
      case .collectionLength(let count):
        "a collection's name has 1 to \(Limits.collectionBytes) characters, not \(count)"
      case .collectionCharacter: "a collection's name consists of a-z, 0-9, '.', '_' and '-'"
      case .idLength(let count): "an id has 1 to \(Limits.idBytes) bytes, not \(count)"
      case .idControlCharacter: "an id has no control characters"
      }
    return FeedSyncError(.badInput, operation: operation, message: message)
  }

  /// A body: an object, within the limits.
  static func body(_ bytes: [UInt8], operation: String) throws -> JSON {
    let body = try json(bytes, operation: operation)
    try check(body, operation: operation)
    return body
  }

  static func json(_ bytes: [UInt8], operation: String) throws -> JSON {
    do {
      return try JSON(parsing: bytes)
    } catch {
      throw FeedSyncError(
        .badInput, operation: operation, message: "the JSON is not acceptable: \(error)")
    }
  }

  /// The limits that bind local writes (protocol.md 18).
  static func check(_ body: JSON, operation: String) throws {
    guard case .object = body else {
      throw FeedSyncError(
        .badInput, operation: operation, message: "a document is a JSON object")
    }
    let count = body.canonicalBytes().count
    guard count <= Limits.bodyBytes else {
      throw FeedSyncError(
        .badInput, operation: operation,
        message: "a body has at most \(Limits.bodyBytes) bytes, this one has \(count)",
        hint: "divide it into several documents")
    }
  }

  /// The argument itself, or standard input for `-`.
  static func content(_ argument: String) throws -> [UInt8] {
    guard argument == "-" else { return Array(argument.utf8) }
    // Escapes may be six times as long as what they stand for.
    let limit = Limits.bodyBytes * 8
    let data = try FileHandle.standardInput.read(upToCount: limit + 1) ?? Data()
    guard data.count <= limit else {
      throw FeedSyncError(
        .badInput, operation: "read standard input", message: "the document is too large")
    }
    return [UInt8](data)
  }
}
