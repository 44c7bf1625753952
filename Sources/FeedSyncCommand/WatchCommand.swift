import ArgumentParser
import CanonicalJSON
import DocumentStorage
import FeedSync
import FolderWatching
import Foundation
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage

struct WatchCommand: StoreCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Import what arrives, as it arrives, and print it.",
    discussion: """
      Prints one JSON object a line, in either format. Ends with status 0 on SIGINT or SIGTERM. \
      'import --once' beside it works; a second 'watch' on the same device does not. What another \
      process of this device has imported, as that or 'query --live' does, is not printed here.

      Every hour it also does what 'compact' does, for two seconds at most, and the rest a minute \
      later; 'settings' has the numbers. With --verbose it says what it did, on standard error.
      """)

  /// How long the commands of the last lines may take once the watch has ended.
  private static let execSeconds = 10

  @OptionGroup var global: GlobalOptions
  @Option(
    help: ArgumentHelp(
      """
      A shell command that is run for each line, with the line on its standard input. Of lines \
      that still wait when the watch is ended, it runs for as many as it can in ten seconds. What \
      it prints goes to standard error.
      """,
      valueName: "command"))
  var exec: String?

  func run() async throws {
    let leaving = UntilInterrupted.Leaving()
    try await UntilInterrupted.run(leaving) { try await watch(leaving) }
  }

  private func watch(_ leaving: UntilInterrupted.Leaving) async throws {
    let (device, lock) = try begin()
    defer { lock.release() }
    let state = try global.directory().directory(of: device.record.container)
    let watcher = FolderWatcher(
      container: device.container.root, cookies: state.appending("cookies"))
    let session = WatchSession(
      device: device, watcher: watcher, upkeep: upkeep(of: device, in: try global.directory()))
    for problem in device.folderProblems(.system) { Output.warning(FeedSyncError(problem)) }
    let queue = exec.map { ExecQueue(command: $0) }
    let printer = WatchPrinter(device: device, command: queue, format: global.format)
    let held = HeldEvents()
    leaving.set {
      printer.print(held)
      queue?.finish(seconds: Self.execSeconds)
    }
    // Each line gets its command, also those printed just before the end.
    defer { queue?.finish(seconds: Self.execSeconds) }
    do {
      try await Self.follow(session, holding: held, printer)
    } catch is CancellationError {
      // Amid a look that had still something to read it ends so.
    }
    try printer.requireOutput()
  }

  /// Opens the device, and keeps other watches from it.
  private func begin() throws -> (device: Device, lock: WatchLock) {
    do {
      let device = try global.open(needsFolder: true)
      // Who is to end does not look into the folder.
      try Task.checkCancellation()
      let state = try global.directory().directory(of: device.record.container)
      let lock = try WatchLock(state: state, files: LinuxFileSystem(), process: "\(getpid())")
      return (device, lock)
    } catch {
      // Who is cancelled waits for no answer, and takes the folder for one that is away.
      try Task.checkCancellation()
      throw error
    }
  }

  private static func follow(
    _ session: WatchSession, holding held: HeldEvents, _ printer: WatchPrinter
  ) async throws {
    do {
      try await session.run(held: held) { printer.print($0) }
    } catch StorageError.newerSchema(let file, _, _) {
      // Found at the start, a user has to mend it, and services do not try again. Here the program
      // has been upgraded beside this process, and whoever starts it again starts the newer one.
      throw FeedSyncError(
        .tryAgain, operation: "watch", file: file.string,
        message: "a newer feedsync has brought the database up to date meanwhile",
        hint: "start it again with the newer program")
    }
  }

  private func upkeep(of device: Device, in directory: DeviceDirectory) -> WatchUpkeep {
    let (container, root) = (device.record.container, device.container.root)
    let isVerbose = global.verbose
    return WatchUpkeep(
      open: {
        let found = try directory.open(container: root)
        guard found.record.container == container else {
          throw ContainerError.otherContainer(
            root, expected: container, found: found.record.container)
        }
        return found
      },
      settings: { try directory.settings(of: container) },
      executor: BlockingExecutor.shared,
      report: { outcome in
        switch outcome {
        case .done(let report):
          if isVerbose { Output.warnBeside("feedsync: watch: \(CompactionText.done(report))") }
        case .failed(let error): Output.warningBeside(FeedSyncError(error, operation: "compact"))
        }
      })
  }
}
