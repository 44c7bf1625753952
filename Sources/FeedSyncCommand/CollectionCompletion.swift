import ArgumentParser
import FeedSync
import Syncing

/// Offers the collections of the device that a command line names, when a shell completes it.
enum CollectionCompletion {
  /// Says nothing where there is no device: an error would stand in the middle of the user's line.
  @Sendable static func names(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    guard let names = try? device(words)?.database.collectionNames() else { return [] }
    return names.map(\.description)
  }

  /// The device that a command line names; nil where there is none.
  static func device(_ words: [String]) -> Device? {
    guard let global = try? GlobalOptions.parse(options(in: words)) else { return nil }
    return try? global.openDevice(needsFolder: false)
  }

  /// The words that choose the device, as far as they are typed.
  static func options(in words: [String]) -> [String] {
    zip(words, words.dropFirst()).filter { ["--state", "--container"].contains($0.0) }
      .flatMap { [$0.0, unquoted($0.1)] }
  }

  /// Shells give words as they are typed, with their quotes.
  private static func unquoted(_ word: String) -> String {
    guard let quote = word.first, "'\"".contains(quote) else {
      return word.replacing("\\", with: "")
    }
    return word.filter { $0 != quote }
  }
}
