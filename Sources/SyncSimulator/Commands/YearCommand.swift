import ArgumentParser
import FeedSync
import Foundation
import ReferenceModel
import Syncing
import SystemPackage

struct YearCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "year",
    abstract: "Lets devices work for a year, with compaction, on real files and databases.",
    discussion: """
      Ten devices write, exchange, import and compact in a time that is made up; some are away for \
      months, two are lost, and given up by their user a quarter of a year later, one comes back \
      with edits that nobody knew. DIR/folder-at-end has the \
      folder as the year ends, DIR/folder as it is when nobody has written for a while, \
      DIR/year.json all figures. tools/check-year runs it, and judges them.
      """)

  @Argument(help: "A directory that does not exist yet.") var directory: String
  @Option(help: "How many devices; two are lost.") var devices = 10
  @Option(help: "How many documents are made.") var documents = 200_000
  @Option(help: "How many of them are there at the end.") var alive = 60_000
  @Option(help: "About how many operations are written.") var operations = 5_000_000
  @Option(help: "How often the devices meet in the year.") var rounds = 730
  @Option(help: "For how many rounds nobody writes after it.") var quiet = 60
  @Option(help: "The seed.") var seed: UInt64 = 1
  @Option(help: "About how large a joined file becomes, in bytes.")
  var fileSize = CompactionLimits.standard.bytes
  @Option(help: "For how many days an old file, and what is dead, stays.") var grace = 7
  @Option(help: "For how many days others wait for a device.") var horizon = 90
  @Flag(inversion: .prefixedNo, help: "Whether what is dead is dropped.") var drops = true

  func validate() throws {
    guard devices >= YearShape.fewestDevices, (100...(1 << 40)).contains(operations),
      (20...100_000).contains(rounds), (1...documents).contains(alive), quiet >= 0, grace > 0,
      horizon > 0, fileSize > 0
    else { throw ValidationError("there are too few of something") }
  }

  func run() throws {
    SameOrder.ensure()
    let standard = CompactionLimits.standard
    let limits = CompactionLimits(
      fanOut: standard.fanOut, mostParts: standard.mostParts, bytes: fileSize,
      grace: Int64(grace) * 86_400_000, horizon: Int64(horizon) * 86_400_000, drops: drops,
      savedShare: standard.savedShare)
    let shape = YearShape(
      devices: devices, documents: documents, alive: alive, operations: operations,
      rounds: rounds, seed: seed)
    let household = try YearHousehold(shape, in: FilePath(directory), limits: limits)
    var figures = YearFigures()
    let begun = Date()
    try live(household, into: &figures)
    figures.seconds = Date().timeIntervalSince(begun)
    let checks = try YearChecks(household)
    figures.note(household, checks: checks)
    figures.noteDatabase(in: FilePath(directory))
    figures.atEnd = try content(of: household, "folder-at-end", checks)
    figures.settled = try content(of: household, "folder", checks)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    try encoder.encode(figures).write(to: URL(fileURLWithPath: directory + "/year.json"))
    for finding in checks.findings { print("FOUND: \(finding)") }
    print(
      "\(figures.operations) operations in \(figures.transactions) transactions,"
        + " \(figures.imported) imported, in \(Int(figures.seconds)) s:"
        + " \(checks.findings.isEmpty ? "all is well" : "something is wrong")")
    guard checks.findings.isEmpty else { throw ExitCode.failure }
  }

  private func live(_ household: YearHousehold, into figures: inout YearFigures) throws {
    let interval = max(1, rounds / 12)
    func note(_ round: Int) throws {
      try figures.note(household, round: round)
      if let moment = figures.moments.last { print(moment) }
      fflush(nil)
    }
    while let round = try household.advance() {
      if (round + 1).isMultiple(of: interval), round + 1 < rounds { try note(round + 1) }
    }
    try note(rounds)
    try household.syncer.keep(as: FilePath(directory).appending("folder-at-end"))
    for round in 0..<quiet {
      try household.rest()
      let isLast = round + 1 == quiet
      if (round + 1).isMultiple(of: interval), !isLast { try note(rounds + round + 1) }
    }
    try note(rounds + quiet)
  }

  private func content(
    of household: YearHousehold, _ folder: FilePath.Component, _ checks: YearChecks
  ) throws -> YearContent {
    try YearContent(
      of: household, in: FilePath(directory).appending(folder), there: checks.there)
  }
}
