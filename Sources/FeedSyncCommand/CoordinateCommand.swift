import ArgumentParser
import FeedSync
import FileCoordination
import Foundation
import SystemPackage

struct CoordinateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coordinate",
    abstract: "Run a command while no other program of yours touches a file.",
    discussion: """
      Programs on this machine that use feedsync's coordination, or this command, take turns: \
      readers overlap, a writer waits for all others and they for it. Whoever has the file open is \
      asked to save first. A program that does not coordinate, such as a syncer, is not held up; \
      no other machine is.

      A command that is run so may run 'coordinate' itself, for other files: to wait for the \
      access that it is run in would be to wait for its own end, and is refused with 75.
      """,
    subcommands: [
      CoordinateReadCommand.self, CoordinateWriteCommand.self, CoordinateStatusCommand.self,
    ])
}

/// What reading and writing have in common.
struct CoordinateOptions: ParsableArguments {
  @Argument(help: "The file or folder, which need not be there yet.", completion: .file())
  var path: String

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp(
      "The command, after --. FEEDSYNC_PATH is where the file is by then, should it be renamed."))
  var command: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Wait for so many seconds at most.", valueName: "seconds"))
  var timeout: Double?

  @Option(
    help: ArgumentHelp(
      "Accesses with the same purpose do not wait for each other.", valueName: "name"))
  var purpose: String?

  mutating func validate() throws {
    guard !command.isEmpty else {
      throw ValidationError("name a command after --, as in: coordinate write FILE -- CMD")
    }
    if let timeout, !(timeout >= 0 && timeout <= 1e9) {
      throw ValidationError("--timeout takes a number of seconds")
    }
  }

  /// Runs the command in an access, and ends as the command ended.
  func run(_ intent: FileAccessIntent, global: GlobalOptions) throws {
    let notices = CoordinationNotices(global)
    let coordinator = try FileCoordinator(
      try UserCoordination.domain(state: global.state), purposeIdentifier: purpose,
      folder: global.container.map { FilePath($0) }, onWait: { notices.tell(waitingFor: $0) },
      onLapse: { notices.tell($0) })
    let status = try coordinator.coordinate(
      [intent], timeout: timeout.map { .milliseconds(Int64($0 * 1000)) }
    ) { paths in
      try ForegroundCommand(command, path: paths[0].string, format: global.format).run()
    }
    if status != 0 { throw ExitStatus(rawValue: status) }
  }
}

struct CoordinateReadCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "read", abstract: "Run a command while nobody writes a file.",
    discussion: """
      Ends as the command ended; with 75 if the time is up first, saying who holds the file.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var options: CoordinateOptions

  func run() throws {
    try options.run(.reading(FilePath(options.path)), global: global)
  }
}

struct CoordinateWriteCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "write", abstract: "Run a command while nobody else reads or writes a file.",
    discussion: """
      Ends as the command ended; with 75 if the time is up first, saying who holds the file.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var options: CoordinateOptions

  func run() throws {
    try options.run(.writing(FilePath(options.path)), global: global)
  }
}
