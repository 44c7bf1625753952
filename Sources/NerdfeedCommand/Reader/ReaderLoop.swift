import FeedLibrary
import Foundation

/// The full-screen reader: waits, decides by ``ReaderState``, has it done, and draws.
///
/// It runs on a thread of its own, which waits for nothing but the user and events.
final class ReaderLoop {
  private static let signals = [SIGWINCH, SIGTSTP, SIGCONT, SIGTERM, SIGHUP, SIGINT, SIGQUIT]

  private static let quietSeconds = 1.0

  private let input: ReaderInput
  private let worker: ReaderWorker
  private let terminal = Terminal()
  private var parser = KeyParser()
  private var state: ReaderState
  /// What has been told since the screen was drawn.
  private var unseen: [LibraryError] = []

  init(input: ReaderInput, worker: ReaderWorker, filter: ItemQuery) {
    (self.input, self.worker) = (input, worker)
    let (rows, columns) = Terminal.size
    state = ReaderState(rows: rows, columns: columns, filter: filter)
  }

  /// How the reader ended.
  struct Ending: Sendable {
    /// The signal that ended it; nil if the user did.
    let signal: Int32?
    /// Why items are not marked as they were shown, as far as no screen has told.
    let failures: [LibraryError]
  }

  /// Runs until the user ends it, and until all that was marked is.
  func run() -> Ending {
    // First: one that came in between would end the process with the terminal as it is then.
    input.takeSignals(Self.signals)
    terminal.enter()
    let signal = follow()
    terminal.leave()
    finish()
    return Ending(
      signal: signal, failures: unseen + Self.failures(among: input.undelivered()))
  }

  /// Waits for the marks, and says so where that is long: from then on the user may give them up.
  private func finish() {
    guard !worker.finish(within: Self.quietSeconds) else { return }
    Output.warn(
      "nerdfeed: waiting until what was marked is written, since another process has the store or"
        + " the cache\n  hint: Ctrl-C ends it without")
    ReaderInput.leaveSignals([SIGINT, SIGQUIT, SIGTSTP])
    worker.finish()
  }

  private static func failures(among events: [ReaderEvent]) -> [LibraryError] {
    events.compactMap { if case .markFailed(let error) = $0 { error } else { nil } }
  }

  /// - returns: The signal that ends it; nil if the user does.
  private func follow() -> Int32? {
    _ = perform(state.begin())
    while true {
      terminal.show(ReaderScreen.lines(of: state))
      let arrival = input.wait()
      unseen = Self.failures(among: arrival.events)
      var events = arrival.signals.compactMap(event(of:))
      events += arrival.events
      events += parser.keys(in: arrival.bytes).map { .key($0) }
      for event in events where !perform(state.handle(event)) { return nil }
      let ending = arrival.signals.first { [SIGTERM, SIGHUP, SIGINT, SIGQUIT].contains($0) }
      if arrival.isOver || ending != nil { return ending ?? SIGHUP }
    }
  }

  private func event(of signal: Int32) -> ReaderEvent? {
    switch signal {
    case SIGWINCH:
      let (rows, columns) = Terminal.size
      return .resized(rows: rows, columns: columns)
    case SIGTSTP: return .suspended
    case SIGCONT:
      // Whoever stopped it may have changed the terminal.
      terminal.leave()
      terminal.enter()
      return .resumed
    default: return nil
    }
  }

  /// - returns: Whether to go on.
  private func perform(_ actions: [ReaderAction]) -> Bool {
    for action in actions {
      switch action {
      case .quit: return false
      case .suspend: suspend()
      case .redraw: terminal.forget()
      case .browse where Browser.needsTerminal:
        // The browser reads the keys until it ends.
        terminal.leave()
        worker.perform(action, inBackground: false)
        terminal.enter()
      case .load, .open, .mark, .count, .browse, .fetch: worker.perform(action)
      }
    }
    return true
  }

  /// Stops the process as its shell expects it, until it is continued.
  private func suspend() {
    terminal.leave()
    signal(SIGTSTP, SIG_DFL)
    raise(SIGTSTP)
    input.takeSignals([SIGTSTP])
    terminal.enter()
    let (rows, columns) = Terminal.size
    _ = perform(state.handle(.resized(rows: rows, columns: columns)))
  }
}
