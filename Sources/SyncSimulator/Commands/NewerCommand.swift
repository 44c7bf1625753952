import ArgumentParser
import CanonicalJSON
import FeedSync
import Replication
import SystemPackage

struct NewerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "newer",
    abstract: "Acts as a device of a made-up newer version of feedsync, in a real folder.",
    discussion: """
      Reads the container, writes a document with kinds of operations that this version does not \
      know, into the given documents of others too, and prints how many transactions of each \
      stream it has read: {"read":{stream:count},"stream":id}.
      """)

  @Argument(help: "The container.") var folder: String
  @Option(help: "Its stream, 32 hexadecimal digits.") var stream: String
  @Option(help: "A number for the document that it writes.") var number = 1
  @Option(help: "A document of the collection notes to which it adds.") var shared = "shared"
  @Option(help: "A document of the collection notes that it takes away.") var doomed: String?
  @Flag(help: "Write one segment that only a reader of the next format can read, and nothing else.")
  var unreadable = false
  @Flag(help: "Only read.") var reads = false

  func run() throws {
    guard let id = StreamID(stream) else { throw ValidationError("the stream is none") }
    var program = try NewerProgram(folder: FilePath(folder), stream: id)
    if unreadable {
      try program.writeUnreadable()
    } else if !reads {
      try program.write(number: number, shared: shared, doomed: doomed)
    }
    var counts = JSONObject()
    for (author, transactions) in program.read {
      counts[ByteString(author.description)] = .integer(Int64(transactions.count))
    }
    print(
      JSON.object(["read": .object(counts), "stream": .string(ByteString(stream))]).canonical)
  }
}
