import ReferenceModel

/// How hostile a history's world is, decided by its seed.
///
/// A world in which everything goes wrong at once hides what goes wrong by itself, so each seed
/// leaves out some of it.
struct Climate: Sendable {
  /// How often each kind of step comes, beside the others.
  let weights: [(kind: Step.Kind, weight: Int)]

  /// What always happens.
  private static let ordinary: [(kind: Step.Kind, weight: Int)] = [
    (.write, 44), (.read, 10), (.writeOnRead, 12), (.sync, 36), (.glance, 10), (.publish, 6),
    (.carry, 50), (.restart, 3),
  ]

  /// What happens in some worlds only.
  private static let hostile: [(kind: Step.Kind, weight: Int)] = [
    (.rename, 2), (.truncate, 7), (.grow, 5), (.duplicate, 5), (.junk, 4), (.impostor, 5),
    (.ownImpostor, 2), (.refuse, 3),
    (.lose, 4), (.rollBack, 3), (.unmount, 3), (.swap, 2), (.wipe, 2), (.crash, 9),
    (.powerLoss, 6), (.fullDisk, 4), (.interrupt, 3), (.ioError, 5), (.skew, 4), (.leave, 4),
  ]

  /// What ends what lasts; without it a folder that went would stay away.
  private static let relief: [(kind: Step.Kind, weight: Int)] = [(.remount, 8), (.comeBack, 4)]

  init(_ random: inout SplitMix, lanes: Set<Lane>) {
    let share = random.pick([0, 25, 50, 50, 100])
    let chosen = Self.hostile.filter { _ in random.chance(share) }
    let added = Lane.allCases.filter { lanes.contains($0) }.flatMap(\.weights)
    let needsRelief =
      !chosen.isEmpty || lanes.contains(.healing) || lanes.contains(.absences)
    weights = Self.ordinary + chosen + (needsRelief ? Self.relief : []) + added
  }

  func kind(_ random: inout SplitMix) -> Step.Kind {
    var rest = random.below(weights.reduce(0) { $0 + $1.weight })
    for (kind, weight) in weights {
      rest -= weight
      if rest < 0 { return kind }
    }
    return .carry
  }
}
