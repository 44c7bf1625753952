import ArgumentParser
import FeedReading
import Foundation

/// `nerdfeed parse`: reads a document and prints the feed that it holds.
struct ParseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parse",
    abstract: "Read a feed from a file, and print what is in it.",
    discussion: """
      Nothing is fetched. With '-' as FILE the feed is read from standard input. Ends with 65 if \
      it is no feed, and with 66 if it cannot be read.
      """)

  @Option(help: "How to print it: text or json.") var format: OutputFormat = .text
  @Option(help: "The address that the file was fetched from, which relative links are relative to.")
  var url = ""
  @Option(help: "The header fields of the server's answer, as a JSON object.")
  var headers = ""
  @Argument(help: "The file, or '-'.", completion: .file()) var file: String

  func run() throws {
    do {
      let origin = FeedOrigin(url: url, headers: try headerFields())
      let channel = try FeedParser.parse(try InputFile.contents(of: file), from: origin, file: file)
      switch format {
      case .json: Output.write(NeutralForm.json(of: channel))
      case .text: Output.write(TextForm.text(of: channel))
      }
    } catch let error as FeedError {
      try refuse(error)
    }
  }

  private func refuse(_ error: FeedError) throws {
    switch format {
    case .json: Output.write(NeutralForm.json(of: error))
    case .text: Output.error(error)
    }
    if case .unreadable = error.cause { throw ExitStatus.noInput }
    throw ExitStatus.badInput
  }

  private func headerFields() throws -> [String: String] {
    guard !headers.isEmpty else { return [:] }
    let object = try? JSONSerialization.jsonObject(with: Data(headers.utf8))
    guard let fields = object as? [String: Any] else {
      throw ValidationError(
        "--headers must be a JSON object, such as '{\"Content-Type\":\"text/xml\"}'")
    }
    return fields.mapValues { "\($0)" }
  }
}
