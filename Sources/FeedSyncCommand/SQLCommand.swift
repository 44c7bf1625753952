import ArgumentParser
import DocumentStorage
import FeedSync

struct SQLCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "sql",
    abstract: "Answer one read-only SQL statement over documents(collection, id, body).",
    discussion: """
      The body is JSON; a member is read as body ->> '$.title'. Text output separates values by \
      tabs, with tabs and line ends in them written \\t and \\n; JSON output has one object a row.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The statement, such as 'SELECT id FROM documents'.") var statement: String
  @Flag(help: "Say how the statement finds its documents, instead of running it.")
  var explain = false

  func run() throws {
    let database = try global.open(needsFolder: false).database
    guard !explain else {
      let explanation = ExplanationText(try database.explain(statement))
      switch global.format {
      case .text: for line in explanation.lines { Output.line(line) }
      case .json: Output.line(explanation.json)
      }
      return
    }
    var form: RowForm?
    try database.query(statement) { row in
      let known = form ?? RowForm(columns: row.columns)
      form = known
      switch global.format {
      case .text: Output.line(known.text(of: row))
      case .json: Output.line(known.json(of: row))
      }
    }
  }
}
