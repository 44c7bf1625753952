import ArgumentParser
import FeedLibrary
import FeedSync

struct FetchCommand: AsyncLibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch", abstract: "Fetch the feeds that are due, and merge what is new.",
    discussion: """
      A feed is due an hour after it came last, or after its own interval (see 'nerdfeed \
      configure'); later if its server says so, or after failures. Feeds that have moved for good \
      are followed on all machines; one that is gone for good (410) is not fetched any more.

      Ends with the status of the first feed that could not be fetched, such as 75 if that may be \
      over soon; the others are fetched all the same. While another nerdfeed fetches, nothing is \
      done but for --feed and --force.
      """)

  @OptionGroup var options: LibraryOptions
  @Option(help: "Only a feed, due or not: \(FeedForm.names)") var feed: String?
  @Flag(help: "Also those that are not due, unless they came in the last five minutes.")
  var all = false
  @Flag(
    help: "Also those that came just now, or have ended; a server's wish to wait is heeded still.")
  var force = false
  @Option(
    help: """
      How many seconds a server may be silent (default: 30); a whole feed may take four times as \
      long.
      """)
  var timeout: Double?

  @Flag(help: "Say nothing but what goes wrong, as cron wants it.") var quiet = false

  func validate() throws {
    guard timeout.map({ $0 > 0 && $0 <= 3_600 }) ?? true else {
      throw ValidationError("--timeout is more than 0, and at most 3600")
    }
  }

  func run() async throws {
    let library = try options.open()
    let run = FeedRun(
      library: library, settings: try LocalSettings.load(), timeoutSeconds: timeout)
    let only = try feed.map { try library.feed(named: $0).key }
    let urgency: FetchUrgency = force ? .forced : all || only != nil ? .asked : .due
    guard let (plan, turn) = try run.begin(only: only, urgency: urgency) else {
      return sayBusy()
    }
    var printer = FetchPrinter(plan, format: options.format, isQuiet: quiet)
    printer.begin()
    try await run.fetch(plan.due) { report in
      turn?.goOn()
      printer.print(report)
    }
    printer.finish()
    if let failure = printer.firstFailure { throw ExitCode(failure.code.rawValue) }
  }

  private func sayBusy() {
    guard !quiet else { return }
    switch options.format {
    case .text: Output.write(FeedRun.isBusy)
    case .json: Output.write(["fetched_elsewhere": true])
    }
  }
}

/// Says what comes of fetching feeds, as it comes.
struct FetchPrinter {
  private let format: OutputFormat
  private let isQuiet: Bool
  private let due: Int
  private var summary: FetchSummary
  private var done = 0
  private var line = ProgressLine()
  private(set) var firstFailure: LibraryError?

  init(_ plan: FetchPlan, format: OutputFormat, isQuiet: Bool = false) {
    (self.format, self.isQuiet) = (format, isQuiet)
    due = plan.due.count
    summary = FetchSummary(plan)
  }

  mutating func begin() {
    if due > 0, !isQuiet { line.show("fetching \(CountText.of(due, "feed")) …") }
  }

  mutating func print(_ report: FetchReport) {
    summary.add(report)
    done += 1
    firstFailure = firstFailure ?? report.failure
    if isQuiet {
      if let failure = report.failure { Output.error(failure, format: format) }
      return
    }
    switch format {
    case .text: printText(report)
    case .json:
      Output.write(FetchForm.json(report))
      if let failure = report.failure { Output.error(failure, format: .json) }
    }
    if done < due { line.show("\(done) of \(CountText.of(due, "feed")): \(report.title)") }
  }

  mutating func finish() {
    line.clear()
    guard !isQuiet else { return }
    switch format {
    case .text: Output.write(summary.text)
    case .json: Output.write(["summary": summary.json])
    }
  }

  private mutating func printText(_ report: FetchReport) {
    if let failure = report.failure {
      line.clear()
      Output.error(failure, format: .text)
    }
    for text in FetchForm.text(report) {
      line.clear()
      Output.write(text)
    }
  }
}

/// What came of fetching a feed, as it is printed.
enum FetchForm {
  /// Nothing where nothing is new; failures are told apart.
  static func text(_ report: FetchReport) -> [String] {
    var lines: [String] = []
    let title = TerminalText.line(report.title)
    if case .fetched(let update) = report.outcome, !update.new.isEmpty {
      lines.append("\(update.new.count) new: \(title)")
    }
    if case .gone = report.outcome { lines.append("ended: \(title)") }
    if let move = report.move {
      let twin = ", which is subscribed to as well: remove one of the two"
      lines.append(
        "moved: \(title): \(TerminalText.line(move.url))" + (move.isTaken ? twin : ""))
    }
    return lines
  }

  static func json(_ report: FetchReport) -> JSON {
    var object: JSONObject = [
      "feed": .text(report.feed.key.text), "url": .text(report.feed.subscription.url),
      "outcome": .text(word(report.outcome)),
    ]
    if let move = report.move {
      object["moved_to"] = .text(move.url)
      if move.isTaken { object["is_subscribed_there"] = .bool(true) }
    }
    switch report.outcome {
    case .fetched(let update):
      object["new"] = .texts(
        update.new.map { ItemReference(report.feed.key, $0).description })
      object["edited"] = .number(update.edited.count)
      object["items"] = .number(update.after.items.count)
    case .postponed(let seconds): object["seconds"] = .number(seconds)
    case .failed(let error), .gone(let error): object["error"] = .object(Output.json(of: error))
    case .unchanged: break
    }
    return .object(object)
  }

  private static func word(_ outcome: FetchReport.Outcome) -> String {
    switch outcome {
    case .fetched: "fetched"
    case .unchanged: "unchanged"
    case .postponed: "postponed"
    case .failed: "failed"
    case .gone: "gone"
    }
  }
}
