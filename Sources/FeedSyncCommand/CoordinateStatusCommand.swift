import ArgumentParser
import CanonicalJSON
import FeedSync
import FileCoordination

struct CoordinateStatusCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show who claims which files, and who waits for whom.",
    discussion: """
      Claims in the order of the queue, then those who have files open and are asked to give way. \
      With --format json, one object.
      """)

  @OptionGroup var global: GlobalOptions

  func run() throws {
    let report = try UserCoordination.domain(state: global.state).report()
    switch global.format {
    case .text: for line in CoordinationText.lines(report) { Output.line(line) }
    case .json: Output.line(CoordinationText.json(report))
    }
  }
}

/// How claims are shown.
enum CoordinationText {
  static func lines(_ report: CoordinationReport) -> [String] {
    report.claims.flatMap { claim in
      [line(claim)] + claim.waitsFor.map { "  waits: \(FeedSyncError.text($0))" }
    }
      + report.presenters.map { presenter in
        "\(FeedSyncError.name(presenter.process)) presents "
          + (presenter.path.map { NameText.escaped($0) } ?? "nothing yet")
          + (presenter.hasLapsed ? ", and does not answer" : "")
      }
  }

  private static func line(_ claim: CoordinationReport.Claim) -> String {
    let items = claim.items.map {
      "\($0.writes ? "write" : "read") \(NameText.escaped($0.path))"
    }
    let verb =
      switch claim.state {
      case .active: "may"
      case .waiting, .asking: "waits to"
      case .unconfirmed: "may still"
      }
    return "\(FeedSyncError.name(claim.process)) \(verb) \(items.joined(separator: ", "))"
      + ", for \(claim.age.components.seconds) s"
  }

  static func json(_ report: CoordinationReport) -> JSON {
    .object([
      "arbiter": json(report.arbiter),
      "claims": .array(report.claims.map(json)),
      "presenters": .array(
        report.presenters.map { presenter in
          .object([
            "process": json(presenter.process),
            "path": presenter.path.map { .text($0) } ?? .null,
            "lapsed": .bool(presenter.hasLapsed),
          ])
        }),
    ])
  }

  private static func json(_ claim: CoordinationReport.Claim) -> JSON {
    let age = claim.age.components
    return .object([
      "process": json(claim.process), "state": .text("\(claim.state)"),
      "items": .array(
        claim.items.map { .object(["path": .text($0.path), "writes": .bool($0.writes)]) }),
      "milliseconds": .number(age.seconds * 1000 + age.attoseconds / 1_000_000_000_000_000),
      "waits_for": .array(
        claim.waitsFor.map { holder in
          .object([
            "process": json(holder.process), "role": .text("\(holder.role)"),
            "path": .text(holder.path),
          ])
        }),
    ])
  }

  private static func json(_ process: CoordinatingProcess) -> JSON {
    .object(["id": .number(process.id), "name": .text(process.name)])
  }
}
