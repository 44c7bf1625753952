import DocumentStorage
import ReferenceModel
import Replication

/// What a user does without (protocol.md 6), by the simulator's own account.
///
/// What was given up is what ``World/skip(on:_:)`` has said, what was here is what the device says
/// that it holds, and what leads up to that the ledger knows. What the device makes of all that is
/// not asked: it is what is judged.
struct GivenUp {
  /// Of each stream, up to which transaction.
  let ends: [StreamID: UInt64]
  /// What was here of those streams.
  let runs: [Run]

  /// Transactions of a stream that are here, each of which follows the one before it.
  struct Run {
    /// The sequence before the first.
    let base: UInt64
    let tip: Context.Entry
  }

  /// What is given up and was not here, as the ledger counts.
  struct Lost {
    /// By author: up to where that is given up.
    private(set) var ends: [Int: Int] = [:]
    /// By author: what was here.
    private(set) var held: [Int: [ClosedRange<Int>]] = [:]

    func contains(_ place: Ledger.Place) -> Bool {
      guard let end = ends[place.author], place.sequence <= end else { return false }
      return !held[place.author, default: []].contains { $0.contains(place.sequence) }
    }

    fileprivate mutating func giveUp(_ author: Int, upTo end: UInt64) { ends[author] = Int(end) }
    fileprivate mutating func hold(_ author: Int, _ range: ClosedRange<Int>) {
      held[author, default: []].append(range)
    }
  }

  func lost(by ledger: Ledger) -> Lost {
    var lost = Lost()
    for (author, known) in ledger.authors.enumerated() {
      guard let stream = known.stream, let end = ends[stream] else { continue }
      lost.giveUp(author, upTo: end)
    }
    for run in runs {
      for (author, range) in ledger.parts(of: run) { lost.hold(author, range) }
    }
    return lost
  }
}

extension Ledger {
  /// What a device had when it wrote.
  struct Had {
    /// What it had applied, and before each time that its database was put back.
    let applied: [Context]
    /// Of each stream, up to which transaction its user had given it up.
    let givenUp: [StreamID: UInt64]
    /// Whether it has the newer program.
    let isUpgraded: Bool

    func hasGivenUp(_ entry: Context.Entry) -> Bool { entry.sequence <= givenUp[entry.stream] ?? 0 }
  }

  /// The authors of what a device holds in one run, each with the sequences that are in it.
  func parts(of run: GivenUp.Run) -> [(author: Int, range: ClosedRange<Int>)] {
    var parts: [(author: Int, range: ClosedRange<Int>)] = []
    var next = place(of: run.tip)
    while let place = next, place.sequence > Int(run.base) {
      let author = authors[place.author]
      let first = max(author.base, Int(run.base)) + 1
      parts.append((place.author, first...place.sequence))
      next = author.origin
    }
    return parts
  }
}

extension World {
  /// What a device's user does without by now; nil where nothing was ever given up.
  func givenUp(on machine: Machine) throws -> GivenUp? {
    guard !machine.givenUp.isEmpty else { return nil }
    let streams = try machine.database.frontier().lineage.streams
    let lines = machine.givenUp.keys.flatMap { streams[$0]?.lines ?? [] }
    return GivenUp(
      ends: machine.givenUp, runs: lines.map { GivenUp.Run(base: $0.base, tip: $0.tip) })
  }

  /// No device does without more than its user has said.
  func checkGivenUp(on machine: Machine) throws {
    for stream in try machine.database.streamSummaries() {
      guard let last = stream.givenUp?.last, last > machine.givenUp[stream.stream] ?? 0
      else { continue }
      throw Finding(
        "device \(machine.number) does without \(stream.stream) up to \(last), which its user has"
          + " not said")
    }
  }
}
