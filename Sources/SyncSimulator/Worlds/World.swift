import DocumentStorage
import ReferenceModel
import Replication
import SharedFolder
import Syncing
import SystemFiles

/// Several devices, a syncer between them, and what is known of what they did.
final class World {
  let history: History
  let marker: Marker
  let keys: [DocumentKey]
  /// Documents that are made to be forgotten.
  let graves = (0..<3).map { DocumentKey(collection: "graves", id: .init("g\($0)")) }
  var allKeys: [DocumentKey] { isTravelling ? keys + graves : keys }
  let time: PretendedTime
  private(set) var machines: [Machine]
  /// By device: its clones.
  private var clones: [Int: [Int]] = [:]
  private var lives = 0
  var syncer: Syncer
  var ledger = Ledger()
  var promises = Promises()
  var glimpses: [Glimpse] = []
  var forerunner: Forerunner?
  var figures = Figures()
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
      let stream = Self.stream(of: number, &random)
      let beginning = Machine.Beginning(
        number: number, features: random.chance(70) ? .init() : .renameOnly, time: time,
        seed: random.next(), environment: history.seed & 1 == 0 ? [UInt8(number + 1)] : nil,
        life: Life(number: number))
      let own = Self.marker(of: number, in: history)
      let machine = try Machine(beginning, stream: stream, marker: own ?? marker)
      machine.former = own?.container
      machines.append(machine)
    }
    self.machines = machines
    syncer.homes = machines.map(\.marker.container)
    syncer.shared = marker.container
    lives = machines.count
    ledger.isJoining = isCompacting
  }

  private static func stream(of number: Int, _ random: inout SplitMix) -> StreamID {
    StreamID(rawValue: UInt128(random.next()) << 64 | UInt128(number))
  }

  /// Lets everything happen, then checks what must hold.
  func run() throws {
    for step in history.steps { try take(step) }
    try finishUpgrades()
    let understood = isUpgrading ? Forerunner.understood : .known
    try KindCodes.$understood.withValue(understood) {
      try calm()
      try settle()
      try checkEverything()
    }
  }

  /// Counts what only the end tells.
  func finalFigures() throws -> Figures {
    var result = figures
    result.transactions = ledger.count
    result.authors = ledger.authors.count
    result.files = syncer.files.count
    result.promises = promises.count
    result.conflicts = try machines.first?.database.counts().conflicts ?? 0
    return result
  }

  func note(_ line: @autoclosure () -> String) { trace.note(line()) }

  /// Takes one step; it does nothing where it makes no sense.
  func take(_ step: Step) throws {
    var random = SplitMix(seed: step.salt)
    time.advance(milliseconds: random.chance(5) ? 3_600_000 : Int64(random.below(4)))
    let machine = machine(of: step)
    machine.chance.restart(seed: step.salt)
    note("\(step.kind.rawValue) on device \(machine.number)")
    if machine.isAway, step.kind != .comeBack {
      note("    which is away")
    } else if machine.place == .met, !Self.isPossibleBeforeJoining(step.kind) {
      note("    which has another container's folder")
    } else {
      try machine.run { try take(step.kind, on: machine, &random) }
    }
    try machine.noteStream()
  }

  private func take(
    _ kind: Step.Kind, on machine: Machine, _ random: inout SplitMix
  ) throws {
    switch kind {
    case .comeBack: machine.isAway = false
    case .write, .read, .writeOnRead, .rename, .count, .collect, .resolve, .answer, .bulk,
      .undo, .mix, .decide, .insist:
      try use(machine, kind, &random)
    case .sync, .sip, .glance, .publish, .restart, .interrupt: try work(machine, kind, &random)
    case .crash, .powerLoss, .fullDisk, .ioError: try hinder(machine, kind, &random)
    case .carry, .truncate, .grow, .duplicate, .junk, .impostor, .ownImpostor, .lose, .rollBack,
      .forget:
      try carry(to: machine, kind, &random)
    case .unmount, .swap, .wipe, .burn, .remount: try replaceFolder(of: machine, kind)
    case .refuse: refuse(on: machine, &random)
    case .skew: skew(machine, &random)
    case .leave: machine.isAway = true
    case .year: letAYearPass(without: machine)
    case .disconnect, .reconnect: machine.isDisconnected = kind == .disconnect
    case .detour: detour(around: machine, &random)
    case .clone: try clone(machine, &random)
    case .backUp: try machine.backUp(promises: promises.count)
    case .restore: try restore(machine, &random)
    case .skip: try skip(on: machine, &random)
    case .rebuild: try rebuild(machine, &random)
    case .compact, .expire: try compact(machine, kind, &random)
    case .retire, .adopt: try retireAnother(by: machine, &random)
    case .bury: try bury(by: machine, &random)
    case .found: try found(machine, &random)
    case .innovate: try innovate(besides: machine, &random)
    case .upgrade: try upgrade(machine, &random)
    }
  }

  /// The device of a step: one that was cloned takes turns with its clones.
  private func machine(of step: Step) -> Machine {
    let all = [step.device] + clones[step.device, default: []]
    return machines[all[Int(step.salt >> 40) % all.count]]
  }

  /// Adds a machine that is a clone of another.
  func add(_ machine: Machine, cloneOf original: Int, linksFrom random: inout SplitMix) {
    let first = clones.first { $0.value.contains(original) }?.key ?? original
    clones[first, default: []].append(machine.number)
    machines.append(machine)
    syncer.addReplica(of: machine.marker.container, &random)
  }

  func newLife() -> Int {
    defer { lives += 1 }
    return lives
  }

  private func skew(_ machine: Machine, _ random: inout SplitMix) {
    let day: Int64 = 86_400_000
    let skew = random.pick([0, -day, day, 365 * day, -20_000, 7])
    time.skew(machine.number, by: skew)
    note("    its clock is off by \(skew) ms")
  }

  /// What a device has applied.
  func applied(on machine: Machine) throws -> Context {
    try machine.database.frontier().applied
  }
}
