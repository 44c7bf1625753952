import ArgumentParser
import Foundation

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Runs one history and says what happens in it.",
    discussion: """
      The history is that of a seed, or the one in a file, as run --shrink prints it. Lines that \
      begin with # are comments.
      """)

  @OptionGroup var world: WorldOptions
  @Option(help: "The seed.") var seed: UInt64 = 1
  @Option(help: "A file with a history, instead of the seed's.") var history: String?
  @Flag(help: "Say only whether it fails.") var quiet = false
  @Flag(help: "Make it shorter first, if it fails.") var shrink = false

  func run() throws {
    SameOrder.ensure()
    var history = try chosenHistory()
    if shrink, history.finding() != nil {
      var shrinker = Shrinker(history)
      history = shrinker.shrink()
      print("# \(shrinker.finding)\n\(history)")
    }
    let world = try World(history, isTracing: !quiet)
    defer { for line in world.trace.lines { print(line) } }
    do {
      try world.run()
    } catch {
      world.note("FAILED: \(error)")
      if quiet { print("FAILED: \(error)") }
      throw ExitCode.failure
    }
    world.note("all is well")
  }

  private func chosenHistory() throws -> History {
    guard let history else {
      return world.history(seed: seed)
    }
    return try History(parsing: try String(contentsOfFile: history, encoding: .utf8))
  }
}
