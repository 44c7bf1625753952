import CanonicalJSON
import DocumentStorage
import ReferenceModel
import Replication

/// Whether the devices of a year have in the end what they are to have.
struct YearChecks {
  private(set) var findings: [String] = []
  /// The documents that are there, and those with conflicts.
  private(set) var there: Set<[UInt8]> = []
  private(set) var conflicted = 0
  /// Of the traveller's edits, how many show, and how many are listed as conflicts.
  private(set) var travelledShown = 0
  private(set) var travelledListed = 0
  private let household: YearHousehold
  private var plan: YearPlan { household.plan }

  init(_ household: YearHousehold) throws {
    self.household = household
    guard let first = household.living.first else { return }
    let (bodies, conflicts) = try Self.content(of: first)
    for other in household.living.dropFirst() {
      try compare(other, with: first, bodies, conflicts)
    }
    there = Set(bodies.keys)
    conflicted = conflicts.count
    compareWithPlan(bodies, conflicts)
    lookForTravelled(bodies, conflicts)
  }

  private typealias Bodies = [[UInt8]: [UInt8]]
  private typealias Conflicts = [[UInt8]: [DocumentConflict]]

  private static func content(of machine: YearMachine) throws -> (Bodies, Conflicts) {
    var bodies: Bodies = [:]
    var conflicts: Conflicts = [:]
    try machine.database.forEachDocument { key, body in bodies[key.id.bytes] = body }
    try machine.database.readSnapshot { snapshot in
      try snapshot.forEachConflicted { key, listed in conflicts[key.id.bytes] = listed }
    }
    return (bodies, conflicts)
  }

  private mutating func find(_ text: String) {
    if findings.count < 20 { findings.append(text) }
  }

  /// Two devices show the same, and list the same conflicts.
  private mutating func compare(
    _ other: YearMachine, with first: YearMachine, _ bodies: Bodies, _ conflicts: Conflicts
  ) throws {
    let (theirs, theirConflicts) = try Self.content(of: other)
    if theirs != bodies {
      let ids = Set(bodies.keys).union(theirs.keys).filter { bodies[$0] != theirs[$0] }
      find("devices \(first.number) and \(other.number) show \(ids.count) documents differently")
    }
    if theirConflicts != conflicts {
      let ids = Set(conflicts.keys).union(theirConflicts.keys)
        .filter { conflicts[$0] != theirConflicts[$0] }
      find("devices \(first.number) and \(other.number) list \(ids.count) conflicts differently")
    }
  }

  /// What one device after another wrote is what shows, and nothing else, and no conflict.
  private mutating func compareWithPlan(_ bodies: Bodies, _ conflicts: Conflicts) {
    for document in 0..<plan.shape.documents where plan.isCertain(document) {
      let id = Array(YearDocument.id(of: document).utf8)
      let expected = plan.expected(document)?.canonicalBytes()
      if bodies[id] != expected {
        let found = bodies[id].map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
        let wanted = expected.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
        find("document \(document) is \(found), and not \(wanted)")
      }
      if conflicts[id] != nil { find("document \(document) has conflicts") }
    }
  }

  /// What the traveller wrote shows, or is a value that is listed.
  private mutating func lookForTravelled(_ bodies: Bodies, _ conflicts: Conflicts) {
    for document in plan.travelled.sorted() {
      let id = Array(YearDocument.id(of: document).utf8)
      let note = Array(YearDocument.travelNote(document).utf8)
      let listed = (conflicts[id] ?? []).flatMap(\.values).compactMap(\.content)
      if bodies[id]?.contains(note) == true {
        travelledShown += 1
      } else if listed.contains(where: { $0.contains(note) }) {
        travelledListed += 1
      } else {
        find("what the traveller wrote into document \(document) is gone")
      }
    }
  }
}
