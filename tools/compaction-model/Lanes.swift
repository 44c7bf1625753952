extension Lane {
  /// What is searched by default, smallest first.
  static let all: [Lane] =
    [
      Lane(name: "live", writes: 3, rollUps: 2),
      Lane(name: "traveller", writes: 3, rollUps: 2, horizons: 2),
      Lane(name: "healing", writes: 2, rollUps: 2, horizons: 2, heals: 1),
      Lane(name: "child", writes: 3, rollUps: 1, hasChild: true),
    ] + scripts + [
      Lane(name: "loss", writes: 3, rollUps: 1, horizons: 0, losses: 1),
      Lane(name: "live-4", writes: 4, rollUps: 2, isDepthFirst: true, limit: 60_000_000),
    ]

  /// Bounds of the random mode.
  static let deep: [Lane] = [
    Lane(name: "deep-live", writes: 6, rollUps: 6, hasSibling: true, hasRanges: true),
    Lane(
      name: "deep-traveller", writes: 5, rollUps: 5, horizons: 4, hasSibling: true,
      hasRanges: true),
    Lane(name: "deep-child", writes: 5, rollUps: 5, horizons: 3, hasChild: true, hasRanges: true),
    Lane(name: "deep-loss", writes: 5, rollUps: 4, losses: 1, hasSibling: true, hasRanges: true),
    Lane(
      name: "deep-lost-traveller", writes: 5, rollUps: 4, horizons: 3, losses: 1,
      hasSibling: true, hasRanges: true),
    Lane(name: "deep-healing", writes: 5, rollUps: 4, horizons: 2, heals: 2, hasRanges: true),
  ]

  /// Histories too long to search with all writes: who writes what is fixed, all else is free.
  static let scripts: [Lane] = [
    scripted("deleted-anew", "A insert, C a, A delete, B insert", rollUps: 2, horizons: 1),
    scripted("edited-deleted", "A insert, B a, C c, A delete", rollUps: 3, horizons: 2),
    scripted("edited-deleted-2", "A insert, B a, C c, B delete", rollUps: 3, horizons: 2),
    scripted("removed-deleted", "A insert, B -a, C c, A delete", rollUps: 3, horizons: 2),
    scripted("settled", "A insert, C c, A delete, B insert", rollUps: 2, horizons: 2),
    scripted("conflict", "A insert, B a, C a, A delete", rollUps: 2, horizons: 2),
    scripted("written-over", "C insert, B delete, A a, C -a, C -c", rollUps: 1, horizons: 0),
    scripted(
      "deleted-twice", "C insert, B insert, B a, C delete, B delete", rollUps: 3, horizons: 0),
    scripted("removed-late", "A insert, C a, C -c, B delete", rollUps: 2, horizons: 1),
  ]

  /// Writes as words: device and what it writes.
  static func scripted(_ name: String, _ text: String, rollUps: Int, horizons: Int) -> Lane {
    var lane = Lane(name: name, rollUps: rollUps, horizons: horizons, hasSibling: true)
    for part in text.split(separator: ",") {
      let words = part.split(separator: " ")
      guard let who = words.first, let what = words.last else { continue }
      let device = ["A", "B", "C"].firstIndex(of: String(who)) ?? 0
      lane.script.append((device, writeNames[String(what)] ?? .insert))
    }
    lane.writes = lane.script.count
    lane.hasPlainRollUps = false
    lane.hasRanges = name == "written-over" || name == "deleted-twice" || name == "script"
    lane.isDepthFirst = true
    lane.limit = 30_000_000
    return lane
  }

  private static let writeNames: [String: Write] = [
    "insert": .insert, "a": .setA, "b": .setB, "c": .setC, "-a": .removeA, "-c": .removeC,
    "delete": .delete,
  ]
}
