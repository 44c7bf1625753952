import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemFiles

/// Several devices, a syncer between them, and what is known of what they did.
final class World {
  let history: History
  let marker: Marker
  let keys: [DocumentKey]
  let time: PretendedTime
  let machines: [Machine]
  var syncer: Syncer
  var ledger: Ledger
  var promises = Promises()
  var glimpses: [Glimpse] = []
  var trace = Trace()

  init(_ history: History, isTracing: Bool = false) throws {
    self.history = history
    trace.isOn = isTracing
    var random = SplitMix(seed: history.seed ^ 0x5EED)
    let marker = Marker(container: ContainerID(rawValue: 0xABCD), identifier: "simulated")
    self.marker = marker
    keys = (0..<history.documents).map {
      DocumentKey(collection: $0 == 2 ? "others" : "notes", id: .init("\($0)"))
    }
    let time = PretendedTime(devices: history.devices)
    self.time = time
    syncer = Syncer(devices: history.devices, &random)
    var machines: [Machine] = []
    for number in 0..<history.devices {
      time.skew(number, by: random.pick([0, 0, 0, -3, 5, 400]))
      machines.append(
        try Machine(
          number: number, stream: Self.stream(of: number, &random), marker: marker,
          features: random.chance(70) ? .init() : .renameOnly, time: time, seed: random.next()))
    }
    self.machines = machines
    ledger = Ledger(streams: machines.map(\.stream))
  }

  private static func stream(of number: Int, _ random: inout SplitMix) -> StreamID {
    StreamID(rawValue: UInt128(random.next()) << 64 | UInt128(number))
  }

  /// Lets everything happen, then checks what must hold.
  func run() throws {
    for step in history.steps { try take(step) }
    try calm()
    try settle()
    try checkEverything()
  }

  func note(_ line: @autoclosure () -> String) { trace.note(line()) }

  /// Takes one step; it does nothing where it makes no sense.
  func take(_ step: Step) throws {
    var random = SplitMix(seed: step.salt)
    time.advance(milliseconds: random.chance(5) ? 3_600_000 : Int64(random.below(4)))
    let machine = machines[step.device]
    machine.chance.restart(seed: step.salt)
    note("\(step.kind.rawValue) on device \(step.device)")
    switch step.kind {
    case .comeBack: machine.isAway = false
    case _ where machine.isAway: note("    which is away")
    case .write, .read, .writeOnRead, .rename: try use(machine, step.kind, &random)
    case .sync, .glance, .publish, .restart: try work(machine, step.kind, &random)
    case .crash, .powerLoss, .fullDisk, .ioError: try hinder(machine, step.kind, &random)
    case .carry, .truncate, .grow, .duplicate, .junk, .impostor, .lose, .rollBack:
      try carry(to: machine, step.kind, &random)
    case .unmount, .swap, .wipe, .remount: try replaceFolder(of: machine, step.kind)
    case .skew: skew(machine, &random)
    case .leave: machine.isAway = true
    }
  }

  private func skew(_ machine: Machine, _ random: inout SplitMix) {
    let day: Int64 = 86_400_000
    let skew = random.pick([0, -day, day, 365 * day, -20_000, 7])
    time.skew(machine.number, by: skew)
    note("    its clock is off by \(skew) ms")
  }

  /// How much of each device's stream a device has applied.
  func applied(on machine: Machine) throws -> [Int] {
    let context = try machine.database.frontier().applied
    return machines.map { Int(context.sequence(of: $0.stream)) }
  }
}
