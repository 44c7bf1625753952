import ArgumentParser
import CanonicalJSON
import FeedSync
import Foundation

/// How a value is given to `kv set`.
enum KeyValueInput: String, CaseIterable, ExpressibleByArgument {
  case json
  case string
  case date
  case data

  /// The value that an argument, or standard input for `-`, stands for.
  func value(_ argument: String) throws -> PropertyListValue {
    let operation = "kv set"
    let bytes = try DocumentArguments.content(argument)
    switch self {
    case .json:
      let json = try DocumentArguments.json(
        bytes, operation: operation,
        hint: "text is written in quotes of its own, as '\"dark\"', or given with --type string")
      guard let value = PropertyListValue(json: json) else {
        throw FeedSyncError(
          .badInput, operation: operation, message: "the JSON is not a value that can be kept",
          hint: "there is no null; integers have 64 bits with a sign; a member that begins with $"
            + " is written with one more, but for a date or bytes: see 'feedsync kv --help'")
      }
      return value
    case .string: return .string(try text(bytes))
    case .date:
      let text = try text(bytes).trimmingCharacters(in: .whitespacesAndNewlines)
      return .date(try Moment.parse(text, now: .now))
    case .data:
      guard argument != "-" else { return .data(Data(bytes)) }
      guard let data = Data(base64Encoded: argument) else {
        throw FeedSyncError(
          .badInput, operation: operation, message: "the text is not base64",
          hint: "give the bytes themselves on standard input, with - in place of the text")
      }
      return .data(data)
    }
  }

  private func text(_ bytes: [UInt8]) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw FeedSyncError(
        .badInput, operation: "kv set", message: "the text is not UTF-8",
        hint: "keep bytes with --type data")
    }
    return text
  }
}

/// How values are printed.
enum KeyValueForm {
  static func absent(_ key: String, operation: String) -> FeedSyncError {
    FeedSyncError(.notFound, operation: operation, message: "there is no key '\(key)'")
  }

  /// What ISO 8601 writes with four digits.
  private static let years =
    Date(timeIntervalSince1970: -62_135_596_800)..<Date(timeIntervalSince1970: 253_402_300_799)

  static func printRaw(_ value: PropertyListValue) {
    switch value {
    case .string(let text): Output.line(text)
    case .date(let date) where years.contains(date): Output.line(HistoryForm.time(date))
    case .data(let data): Output.raw([UInt8](data))
    default: Output.line(value.json)
    }
  }
}

/// Offers what there is, when a shell completes a command of `kv`.
enum KeyValueCompletion {
  @Sendable static func keys(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    let named = zip(words, words.dropFirst()).first { $0.0 == "--store" }?.1
    guard let device = CollectionCompletion.device(words),
      let collection = try? KeyValueRules.collection(named ?? KeyValueRules.usualName),
      let contents = try? device.database.readSnapshot({ try $0.keyValues(in: collection) })
    else { return [] }
    return contents.entries.map(\.key)
  }

  @Sendable static func stores(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    CollectionCompletion.names(words, index, prefix).filter { $0.hasPrefix(KeyValueRules.prefix) }
      .map { String($0.dropFirst(KeyValueRules.prefix.count)) }
  }
}
