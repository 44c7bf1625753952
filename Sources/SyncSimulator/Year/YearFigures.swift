import DocumentStorage
import Foundation
import SystemPackage

/// What a year came to, as `tools/check-year` reads it.
struct YearFigures: Codable {
  /// The folder at one moment.
  struct Moment: Codable {
    var round: Int
    var files: Int
    /// Of the device that has most.
    var mostFiles: Int
    var bytes: Int
    /// Rows of documents that do not show, on the device that was always there.
    var hidden: Int
    var documents: Int
    var published: Int
    var rewritten: Int
  }

  var operations = 0
  var transactions = 0
  var imported = 0
  var dropped = 0
  var joined = 0
  var removed = 0
  var seconds = 0.0
  var moments: [Moment] = []
  var published = YearSyncer.Sum()
  var rewritten = YearSyncer.Sum()
  /// Of one device in the folder, at any time.
  var mostFiles = 0
  var databaseBytes = 0
  var conflicted = 0
  var travelledShown = 0
  var travelledListed = 0
  var pauses: [String: PauseMeter.Times] = [:]
  var atEnd: YearContent?
  var settled: YearContent?
  var findings: [String] = []

  mutating func note(_ household: YearHousehold, round: Int) throws {
    guard let first = household.machines.first else { return }
    let present = household.syncer.present
    moments.append(
      Moment(
        round: round, files: present.files, mostFiles: try household.filesOfOne(),
        bytes: present.bytes,
        hidden: try first.database.hiddenCount(),
        documents: try first.database.counts().documents,
        published: household.published.bytes, rewritten: household.rewritten.bytes))
  }

  /// All but what the folder holds.
  mutating func note(_ household: YearHousehold, checks: YearChecks) {
    operations = household.plan.operations
    mostFiles = household.mostFiles
    published = household.published
    rewritten = household.rewritten
    for machine in household.machines {
      transactions += machine.transactions
      imported += machine.imported
      dropped += machine.report.dropped
      joined += machine.report.written
      removed += machine.report.removed.count
      for (name, times) in machine.meter.times { pauses[name, default: .init()] += times }
    }
    conflicted = checks.conflicted
    travelledShown = checks.travelledShown
    travelledListed = checks.travelledListed
    findings = checks.findings
  }

  mutating func noteDatabase(in directory: FilePath) {
    let file = directory.appending("machines").appending("0/state/store.sqlite")
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.string)
    databaseBytes = attributes?[.size] as? Int ?? 0
  }
}

extension YearFigures.Moment: CustomStringConvertible {
  var description: String {
    func megabytes(_ bytes: Int) -> String { String(format: "%.1f MB", Double(bytes) / 1e6) }
    return "round \(round): \(files) files, \(mostFiles) of one device at most,"
      + " \(megabytes(bytes)); \(documents) documents and \(hidden) hidden;"
      + " \(megabytes(published)) published, \(megabytes(rewritten)) written again"
  }
}
