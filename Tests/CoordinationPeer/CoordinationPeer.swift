import FileCoordination
import Glibc
import SystemPackage

/// A program that tests start beside themselves: another process that coordinates.
///
/// PEER_PATIENCE: for how many milliseconds `hold` waits for a presenter.
///
///     CoordinationPeer increment STATE FILE COUNT
///     CoordinationPeer hold STATE read|write FILE      says "held", ends with its input
///     CoordinationPeer present STATE FILE KIND         says what it is asked and told
///     CoordinationPeer pairs STATE FIRST SECOND COUNT
///     CoordinationPeer measure STATE FILE COUNT        says the median in nanoseconds
@main
struct CoordinationPeer {
  static func main() {
    let words = Array(CommandLine.arguments.dropFirst())
    do {
      guard words.count >= 3 else { throw Complaint.usage }
      let domain = try CoordinationDomain.inState(FilePath(words[1]))
      switch (words[0], words.dropFirst(2).map { $0 }) {
      case ("increment", let rest): try Increments(domain, rest).run()
      case ("hold", let rest): try hold(domain, rest)
      case ("present", let rest): try Presenting(domain, rest).run()
      case ("pairs", let rest): try pairs(domain, rest)
      case ("measure", let rest): try Measurement(domain, rest).run()
      default: throw Complaint.usage
      }
    } catch {
      say("failed: \(error)")
      exit(1)
    }
  }

  enum Complaint: Error {
    case usage
    case file
  }

  private static func hold(_ domain: CoordinationDomain, _ words: [String]) throws {
    guard words.count == 2 else { throw Complaint.usage }
    let milliseconds = getenv("PEER_PATIENCE").flatMap { Int(String(cString: $0)) }
    let coordinator = try FileCoordinator(
      domain,
      patience: milliseconds.map { .milliseconds($0) } ?? FileCoordinator.defaultPatience,
      onWait: { holders in for holder in holders { say("waits \(holder.process.id)") } },
      onLapse: { say("lapsed \($0.process.id)") })
    let wait: (FilePath) -> Void = { _ in
      say("held")
      while readLine() != nil {}
    }
    if words[0] == "read" {
      try coordinator.read(FilePath(words[1])) { wait($0) }
    } else {
      try coordinator.write(FilePath(words[1])) { wait($0) }
    }
    say("released")
  }

  private static func pairs(_ domain: CoordinationDomain, _ words: [String]) throws {
    guard words.count == 3, let count = Int(words[2]) else { throw Complaint.usage }
    let coordinator = try FileCoordinator(domain)
    for _ in 0..<count {
      try coordinator.coordinate(words.prefix(2).map { .writing(FilePath($0)) }) { _ in }
    }
    say("done")
  }
}

/// Writes a line at once, whatever standard output is.
func say(_ text: String) {
  let bytes = Array((text + "\n").utf8)
  _ = write(STDOUT_FILENO, bytes, bytes.count)
}
