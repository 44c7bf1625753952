import ReferenceModel

/// Something that happens in the worlds of some seeds, and of which the others know nothing.
///
/// A lane has steps of its own and draws its lot apart, so a seed that leaves it out means what it
/// meant before there was the lane.
enum Lane: String, CaseIterable, Sendable {
  /// Counters and sets.
  case kinds
  /// Devices are copied, and put back to older states.
  case copies
  /// Folders lose what nobody else has.
  case healing
  /// Users do not wait for what is missing.
  case skipping
  /// Databases are distrusted, and made anew.
  case recoveries
  /// Users attend to what is listed as a conflict.
  case resolving
  /// The syncer leaves devices out, or makes detours; users edit what has just come.
  case partitions
  /// Imports in small parts, of transactions that are large beside them.
  case pieces
  /// Users take back what they or others have done.
  case undoing
  /// Devices join their files, and remove what those held.
  case compacting
  /// Users save what they had opened before they deleted it.
  case insisting
  /// Devices are not waited for, and given up; and come back with what they have written meanwhile.
  case travelling
  /// A year passes while a device is away; users give devices up, which come back all the same.
  case absences
  /// Devices were initialised by themselves, and bring along what they have.
  case founders
  /// Somebody has a newer program, which devices get one after the other.
  case upgrades

  var weights: [(kind: Step.Kind, weight: Int)] {
    switch self {
    case .kinds: [(.count, 22), (.collect, 18)]
    case .copies: [(.clone, 2), (.backUp, 5), (.restore, 4)]
    case .healing: [(.burn, 3), (.forget, 5)]
    case .skipping: [(.skip, 9)]
    case .recoveries: [(.rebuild, 4)]
    case .resolving: [(.resolve, 14), (.decide, 4)]
    case .partitions: [(.disconnect, 3), (.reconnect, 3), (.detour, 3), (.answer, 22)]
    case .pieces: [(.sip, 22), (.bulk, 7), (.mix, 8)]
    case .undoing: [(.undo, 14)]
    case .compacting: [(.compact, 24)]
    case .insisting: [(.insist, 20)]
    case .travelling: [(.expire, 14), (.bury, 8), (.adopt, 3)]
    case .absences: [(.year, 3), (.retire, 3)]
    case .founders: [(.found, 6)]
    case .upgrades: [(.innovate, 12), (.upgrade, 4)]
    }
  }

  /// The lanes of a seed.
  static func drawn(by seed: UInt64) -> Set<Lane> {
    var random = SplitMix(seed: seed ^ 0x1A4E5)
    guard random.chance(70) else { return [] }
    // Asked for by name only, so that seeds mean what they meant.
    let named: Set<Lane> = [.compacting, .insisting, .travelling, .founders, .upgrades]
    return Set(allCases.filter { !named.contains($0) && random.chance(50) })
  }
}
