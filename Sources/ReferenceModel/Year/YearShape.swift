/// How large a year of several devices' work is, how it is spread, and who is away when.
///
///     let shape = YearShape(devices: 10, documents: 200_000, alive: 60_000, operations: 5_000_000)
///
/// Time goes by in rounds: in each, whoever works writes, then all that are within reach exchange
/// what they have.
package struct YearShape: Sendable, Equatable {
  package let devices: Int
  /// How many documents are made in the year, and how many of them are there at its end.
  package let documents: Int
  package let alive: Int
  /// About how many operations are written, on all devices together.
  package let operations: Int
  package let rounds: Int
  package let seed: UInt64
  /// Of so many documents one is edited by several devices at once.
  package let contestedEvery: Int
  /// Of so many documents one is edited by the traveller, who sees nothing of the others then.
  package let travelledEvery: Int

  /// The fewest that have a part for each kind of device.
  package static let fewestDevices = 7

  /// - precondition: at least ``fewestDevices`` devices and 20 rounds, and `alive` of `documents`.
  package init(
    devices: Int = 10, documents: Int = 200_000, alive: Int = 60_000,
    operations: Int = 5_000_000, rounds: Int = 730, seed: UInt64 = 1, contestedEvery: Int = 500,
    travelledEvery: Int = 400
  ) {
    self.devices = devices
    self.documents = documents
    self.alive = alive
    self.operations = operations
    self.rounds = rounds
    self.seed = seed
    self.contestedEvery = contestedEvery
    self.travelledEvery = travelledEvery
  }

  /// What becomes of a device.
  package enum Presence: Sendable, Equatable {
    /// It works, and exchanges what it has.
    case here
    /// Nobody uses it.
    case away
    /// Its user works on it, and it reaches nobody.
    case travelling
    /// It never comes back.
    case lost
  }

  /// The one that travels for months, and then returns.
  package var traveller: Int { devices - 3 }
  /// The two that are lost.
  package var lost: [Int] { [devices - 2, devices - 1] }
  /// When each of those is.
  private func loss(of device: Int) -> Int { part(device == devices - 1 ? 45 : 65) }

  /// Those that are lost and that their user has given up by then: a quarter of a year later.
  package func givenUp(in round: Int) -> [Int] {
    lost.filter { round >= loss(of: $0) + part(25) }
  }

  /// When the traveller is away.
  package var journey: Range<Int> { part(30)..<part(75) }

  package func presence(of device: Int, in round: Int) -> Presence {
    switch device {
    case _ where lost.contains(device) && round >= loss(of: device): .lost
    case traveller where journey.contains(round): .travelling
    // Shorter than a horizon of three months, and longer.
    case devices - 4 where (part(20)..<part(40)).contains(round): .away
    case devices - 5 where (part(50)..<part(80)).contains(round): .away
    default: .here
    }
  }

  private func part(_ percent: Int) -> Int { rounds * percent / 100 }

  package func isContested(_ document: Int) -> Bool { document % contestedEvery == 7 }
}
