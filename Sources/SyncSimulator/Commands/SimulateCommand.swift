import ArgumentParser

/// The command `feedsync-simulate`: several devices in one process, for tests and measurements.
@main
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feedsync-simulate",
    abstract: "Runs several devices in one process.",
    subcommands: [
      RunCommand.self, ReplayCommand.self, WorkloadCommand.self, WriteCommand.self,
      NewerCommand.self, YearCommand.self,
    ])
}
