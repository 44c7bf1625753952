import CanonicalJSON
import Foundation
import Testing

/// What a run of the command gave.
struct CommandRun: Sendable {
  let status: Int32
  let output: String
  let errors: String

  /// Standard output's lines.
  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// Standard output as one JSON value.
  func json() throws -> JSON { try JSON(parsing: Array(output.utf8)) }

  /// The one object on standard error that `--format json` promises.
  func error() throws -> JSONObject {
    let value = try JSON(parsing: Array(errors.utf8))
    let object = try #require(value.object)
    #expect(object.keys == ["error"])
    let error = try #require(object["error"]?.object)
    #expect(error.keys == ["code", "file", "hint", "message", "operation"])
    #expect(error["code"] == .integer(Int64(status)))
    return error
  }
}

extension JSON {
  var object: JSONObject? { if case .object(let object) = self { object } else { nil } }

  var elements: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
  var array: [JSON]? { if case .array(let array) = self { array } else { nil } }
  var text: String? { if case .string(let text) = self { text.description } else { nil } }
}

extension JSONObject {
  var keys: [String] { members.map(\.key.description) }
}

/// The binary, run as a process of its own.
enum Command {
  /// The package's root.
  static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The binary beside the test bundle.
  static let binary: URL = {
    let beside = Bundle.main.bundleURL.appending(path: "feedsync")
    if FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
    return package.appending(path: ".build/debug/feedsync")
  }()

  static func process(
    _ arguments: [String], environment: [String: String], directory: URL? = nil
  ) -> Process {
    let process = Process()
    process.executableURL = binary
    process.arguments = arguments
    process.environment = environment
    process.currentDirectoryURL = directory
    // Whoever runs the tests in the background may have made them ignore it, and it is inherited.
    signal(SIGINT, SIG_DFL)
    return process
  }

  /// Runs it to its end.
  static func run(
    _ arguments: [String], environment: [String: String], input: [UInt8] = [],
    directory: URL? = nil
  ) throws -> CommandRun {
    let process = process(arguments, environment: environment, directory: directory)
    let scratch = try Scratch()
    // Files, not pipes: nobody has to read while it runs.
    let inputFile = scratch.url.appending(path: "in")
    try Data(input).write(to: inputFile)
    process.standardInput = try FileHandle(forReadingFrom: inputFile)
    let (output, errors) = (try scratch.newFile("out"), try scratch.newFile("err"))
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    process.waitUntilExit()
    return CommandRun(
      status: process.terminationStatus, output: try scratch.text("out"),
      errors: try scratch.text("err"))
  }
}

/// A directory that goes away with this object.
final class Scratch: Sendable {
  let url: URL

  init() throws {
    url =
      FileManager.default.temporaryDirectory
      .appending(path: "feedsync-command-\(UUID().uuidString)").standardizedFileURL
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func newFile(_ name: String) throws -> FileHandle {
    let file = url.appending(path: name)
    try Data().write(to: file)
    return try FileHandle(forWritingTo: file)
  }

  func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: url.appending(path: name)), as: UTF8.self)
  }
}
