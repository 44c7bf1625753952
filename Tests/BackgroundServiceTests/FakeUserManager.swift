import BackgroundService
import Synchronization
import SystemFiles
import SystemPackage

/// A user's systemd that behaves: it knows the units that it has read, and runs what it is told.
final class FakeUserManager: CommandRunner {
  struct State: Sendable {
    /// Where it reads units, and what it has read.
    var directory: FilePath
    var loaded: [String: [UInt8]] = [:]
    var running: Set<String> = []
    var isReachable = true
    var refused: Set<String> = []
    /// What it was told, without the question what is.
    var told: [String] = []
  }

  private let files: InMemoryFileSystem
  let state: Mutex<State>

  init(files: InMemoryFileSystem, directory: FilePath) {
    self.files = files
    state = Mutex(State(directory: directory))
  }

  var told: [String] { state.withLock { $0.told } }
  var running: Set<String> { state.withLock { $0.running } }
  func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }

  func run(_ words: [String], seconds: Int) -> CommandOutcome {
    let words = words.filter { !$0.hasPrefix("--") }
    return state.withLock { state in
      guard state.isReachable else {
        return .ended(
          status: 1, output: "", errors: "Failed to connect to bus: No medium found\n")
      }
      guard words.first == "systemctl", words.count > 1 else { return .missing }
      if words[1] != "show" { state.told.append(words[1]) }
      guard !state.refused.contains(words[1]) else {
        return .ended(status: 1, output: "", errors: "Job failed.\nmore\n")
      }
      return answer(words[1], unit: words.count > 2 ? words[2] : nil, &state)
    }
  }

  private func answer(_ verb: String, unit: String?, _ state: inout State) -> CommandOutcome {
    switch (verb, unit) {
    case ("daemon-reload", nil):
      let directory = state.directory
      let names = (try? files.list(directory).map(\.name.string)) ?? []
      state.loaded = Dictionary(
        uniqueKeysWithValues: names.compactMap { name in
          files.bytes(at: directory.appending(name)).map { (name, $0) }
        })
    case ("show", let unit?): return .ended(status: 0, output: show(unit, state), errors: "")
    case ("restart", let unit?):
      guard state.loaded[unit] != nil else {
        return .ended(status: 5, output: "", errors: "Unit \(unit) not found.\n")
      }
      state.running.insert(unit)
    case ("stop", let unit?): state.running.remove(unit)
    default: return .ended(status: 1, output: "", errors: "Unknown command verb.\n")
    }
    return .ended(status: 0, output: "", errors: "")
  }

  private func show(_ unit: String, _ state: State) -> String {
    let isLoaded = state.loaded[unit] != nil
    let isRunning = state.running.contains(unit)
    let isStale = isLoaded && state.loaded[unit] != files.bytes(at: state.directory.appending(unit))
    return """
      LoadState=\(isLoaded ? "loaded" : "not-found")
      ActiveState=\(isRunning ? "active" : "inactive")
      SubState=\(isRunning ? "running" : "dead")
      FragmentPath=\(isLoaded ? state.directory.appending(unit).string : "")
      MainPID=\(isRunning ? 123 : 0)
      NeedDaemonReload=\(isStale ? "yes" : "no")

      """
  }
}
