import ArgumentParser
import FeedSync

/// The command `nerdfeed`: parses arguments, calls the library, words the outcome.
@main
struct NerdfeedTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nerdfeed",
    abstract: "A feed reader whose read marks follow its user, without a server.",
    discussion: """
      Subscriptions, read marks, stars and tags are kept in a folder that your machines already \
      sync: 'feedsync init DIR' on each, then 'nerdfeed add URL' on one of them. Articles are not \
      synced: each machine fetches them.
      """,
    version: "0.1.0",
    subcommands: [
      AddCommand.self, RemoveCommand.self, ConfigureCommand.self, FeedsCommand.self,
      ImportCommand.self, ExportCommand.self, FetchCommand.self, SyncCommand.self,
      ListCommand.self, ShowCommand.self, OpenCommand.self, ReadCommand.self, UnreadCommand.self,
      StarCommand.self, UnstarCommand.self, TagCommand.self, ParseCommand.self, BrowseCommand.self,
    ], defaultSubcommand: BrowseCommand.self)

  static func main() {
    StandardStreams.reserve()
    FileSizeLimit.failBeyond()
    QuitSignal.endProcess()
    Runner.exit(Runner.run())
  }
}
