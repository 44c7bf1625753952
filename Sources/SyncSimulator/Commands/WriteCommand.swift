import ArgumentParser
import CanonicalJSON
import FeedSync
import Foundation

struct WriteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "write",
    abstract: "Writes documents, each published before the next, and prints the seconds it took.",
    discussion: "One document of five members a transaction, by the library's own 'write'.")

  @Argument(help: "The container's folder.") var folder: String
  @Option(help: "The state directory.") var state: String
  @Option(help: "How many transactions.") var count = 300

  func run() throws {
    let store = DocumentStore(try UbiquityContainer.join(folder, state: state))
    // The first makes the directory of the stream.
    try write(count, to: store)
    let clock = ContinuousClock()
    let start = clock.now
    for number in 0..<count { try write(number, to: store) }
    let time = (clock.now - start).components
    let seconds = Double(time.seconds) + Double(time.attoseconds) / 1e18
    print(#"{"transactions":\#(count),"seconds":\#(String(format: "%.6f", seconds))}"#)
  }

  private func write(_ number: Int, to store: DocumentStore) throws {
    let body: JSONObject = [
      "author": .string("an author"), "isRead": .bool(true), "rating": .integer(Int64(number % 6)),
      "starred": .bool(false),
      "title": .string("Some title of about sixty characters in length for the item"),
    ]
    let result = try store.write { writer in
      try writer.put(.object(body), at: "https://example.com/local/\(number)", in: "items")
    }
    if let failure = result.publishingFailure { throw failure }
  }
}
