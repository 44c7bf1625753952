import ArgumentParser
import FeedSync

/// The command `feedsync`: parses arguments, calls the library, words the outcome.
@main
struct FeedSyncTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feedsync",
    abstract: "A document store in a folder that your machines already sync.",
    discussion: """
      Point several machines at one synced folder: 'feedsync init DIR' on each, then write with \
      'put', 'patch', 'delete' and 'load', and let 'watch' or 'import --once' bring in what the \
      others wrote. No server, no lock; whoever wrote concurrently loses nothing.
      """,
    version: Version.text,
    subcommands: [
      InitCommand.self, PutCommand.self, PatchCommand.self, GetCommand.self, DeleteCommand.self,
      CounterCommand.self, SetCommand.self, KeyValueCommand.self, AttachCommand.self,
      AttachmentsCommand.self, ListCommand.self,
      LoadCommand.self, DumpCommand.self, ImportCommand.self,
      WatchCommand.self, StatusCommand.self, DoctorCommand.self, SegmentCommand.self,
      QueryCommand.self, SQLCommand.self, IndexCommand.self, DevicesCommand.self,
      RebuildCommand.self, CompactCommand.self, SettingsCommand.self, LeaveCommand.self,
      ContainersCommand.self, FileCommand.self, CoordinateCommand.self,
      ServiceCommand.self, HistoryCommand.self, UndoCommand.self,
      ConflictsCommand.self, GenerateManualCommand.self,
    ])

  static func main() {
    StandardStreams.reserve()
    LargeBlocks.giveBack()
    FileSizeLimit.failBeyond()
    QuitSignal.endProcess()
    Interruption.letSignalsThrough()
    let status = Runner.run()
    Output.flush()
    // As SIGPIPE would say, where it is ignored: what was asked for has not all been read.
    Runner.exit(status == 0 && Output.hasNoReader ? ExitStatus.readerHasGone.rawValue : status)
  }
}

/// The version that `--version` prints.
enum Version {
  static let text = "0.1.0"
  /// When the manual was last changed for it.
  static let manualDate = "November 25, 2026"
}
