import CanonicalJSON
import ReferenceModel
import Replication

/// A random history in which devices are cloned and restored, determined by its seed.
///
/// The model knows nothing of streams, fingerprints and branches: each clone, and each device that
/// goes on under another stream, is an **author** of its own to it, which had seen what the one
/// that it came from had. So it judges by sets of transactions that were seen, whatever they are
/// called.
struct ForkHistory {
  /// What one incarnation of a device writes.
  struct Author {
    let stream: StreamID
    /// Whose transactions come before its own in the stream, and how many of them.
    let origin: (author: Int, count: Int)?
    var written: [SimulatedDevice.Sent] = []
    /// How many of them are in the world; the others were lost with their device.
    var available = 0
  }

  /// A device, or a copy of one.
  struct Device {
    var core: SimulatedDevice
    var author: Int
    /// How many transactions of each author it has.
    var delivered: [Int]
    /// How many of each it has taken for closed.
    var closed: [Int] = []
    /// How many of each it claims, with what those had seen.
    var claimed: [Int] = []
    var reads: [Read] = []
    /// Up to where it has given up what is missing of a stream.
    var givenUp: [StreamID: UInt64] = [:]

    mutating func fit(_ authors: Int) {
      delivered += Array(repeating: 0, count: authors - delivered.count)
      closed += Array(repeating: 0, count: authors - closed.count)
      claimed += Array(repeating: 0, count: authors - claimed.count)
    }
  }

  struct Read {
    let key: DocumentKey
    let token: VersionToken
    let body: JSON
  }

  let seed: UInt64
  let length: Int
  let keys: [DocumentKey]
  var authors: [Author] = []
  var devices: [Device] = []
  /// Copies that were put aside, to come to life later.
  var backups: [Device] = []
  var operations: [DocumentKey: [PlainModel.Operation]] = [:]
  /// Which transaction of the model has a fingerprint.
  var places: [Context.Entry: (author: Int, count: Int)] = [:]
  var wall: Int64 = 1_000
  var isTracing = false
  var trace: [String] = []
  /// Whether what a device had not told anybody may be lost when it is restored.
  let losesTails: Bool
  /// Whether some devices have a newer program, and others get it later.
  let hasNewer: Bool
  /// Whether there are counters and sets.
  let hasKinds: Bool
  private var streamCount: UInt128 = 0

  init(
    seed: UInt64, judgesBySequence: Bool = false, losesTails: Bool = false,
    hasNewer: Bool = false, hasKinds: Bool = false
  ) {
    var random = SplitMix(seed: seed)
    self.seed = seed
    self.losesTails = losesTails
    self.hasNewer = hasNewer
    self.hasKinds = hasKinds
    length = 12 + random.below(hasNewer ? 48 : 24)
    keys = (0..<1 + random.below(2)).map {
      DocumentKey(collection: "notes", id: ByteString("\($0)"))
    }
    for number in 0..<2 + random.below(3) {
      var core = SimulatedDevice(author: number, isNewer: hasNewer && random.chance(60))
      core.judgesBySequence = judgesBySequence
      devices.append(Device(core: core, author: 0, delivered: []))
      beginStream(on: number)
    }
  }

  mutating func note(_ line: @autoclosure () -> String) {
    if isTracing { trace.append(line()) }
  }

  mutating func take(_ step: Int) throws {
    var random = SplitMix(seed: seed, step: step)
    wall += Int64(random.below(3))
    let device = random.below(devices.count)
    switch random.below(24) {
    case 0..<9: try write(on: device, &random)
    case 9..<11: read(on: device, random.pick(keys))
    case 11..<13: clone(device, &random)
    case 13: backups.append(devices[device])
    case 14: restore(device, &random)
    default:
      if hasNewer, random.chance(3) {
        try upgrade(device)
      } else if losesTails, random.chance(hasNewer ? 20 : 6) {
        try giveUp(on: device)
      } else {
        try receive(on: device, &random)
      }
    }
  }
}

// MARK: - Who is who

extension ForkHistory {
  /// Gives a device a stream of its own.
  mutating func beginStream(on device: Int) {
    streamCount += 1
    let stream = StreamID(rawValue: streamCount)
    authors.append(Author(stream: stream, origin: nil))
    devices[device].core.begin(stream)
    become(authors.count - 1, device)
  }

  private mutating func become(_ author: Int, _ device: Int) {
    devices[device].author = author
    devices[device].core.nonce = UInt64(author) + 1
    let count = authors.count
    for index in devices.indices { devices[index].fit(count) }
    for index in backups.indices { backups[index].fit(count) }
  }

  /// Makes `copy` go on under the same stream, knowing nothing of what it is.
  private mutating func revive(_ copy: Device, as device: Int) {
    var copy = copy
    copy.fit(authors.count)
    var origin: (author: Int, count: Int)? = (copy.author, copy.delivered[copy.author])
    // A copy that wrote nothing is what it was copied from.
    while let parent = origin, parent.count == 0 { origin = authors[parent.author].origin }
    authors.append(Author(stream: copy.core.stream, origin: origin))
    if device == devices.count { devices.append(copy) } else { devices[device] = copy }
    become(authors.count - 1, device)
    note("device \(device) is a copy of \(origin?.author ?? -1):\(origin?.count ?? 0)")
    if losesTails { learn(on: device) }
  }

  private mutating func clone(_ device: Int, _ random: inout SplitMix) {
    guard devices.count < 6, random.chance(60) else { return }
    revive(devices[device], as: devices.count)
  }

  private mutating func restore(_ device: Int, _ random: inout SplitMix) {
    guard !backups.isEmpty else { return }
    let former = devices[device].author
    if losesTails, random.chance(60) {
      // What nobody has got is lost with the device, and with it what builds on it.
      let others = devices.indices.filter { $0 != device }.map { devices[$0] } + backups
      let told = others.map { $0.delivered[former] }.max()
      let inherited = authors.filter { $0.origin?.author == former }.compactMap(\.origin?.count)
      let rest = min(authors[former].available, max(told ?? 0, inherited.max() ?? 0))
      authors[former].available = rest
      note("\(former) is lost beyond \(rest)")
    }
    revive(random.pick(backups), as: device)
  }

  /// How much the history's transactions of each author are part of what `context` names.
  func vector(of context: Context) -> [Int] {
    var vector = Array(repeating: 0, count: authors.count)
    for entry in context.entries {
      guard var (author, count) = places[entry] else { continue }
      while true {
        vector[author] = max(vector[author], count)
        guard let origin = authors[author].origin else { break }
        (author, count) = origin
      }
    }
    return vector
  }
}

// MARK: - Delivery

extension ForkHistory {
  /// How many transactions of an author a device may apply next: its stream goes in order.
  private func outstanding(_ author: Int, for device: Int) -> ArraySlice<SimulatedDevice.Sent> {
    let held = devices[device].delivered
    if let origin = authors[author].origin, held[origin.author] < origin.count { return [] }
    guard held[author] < authors[author].available else { return [] }
    return authors[author].written[held[author]..<authors[author].available]
  }

  private mutating func receive(on device: Int, _ random: inout SplitMix) throws {
    let author = random.below(authors.count)
    let waiting = outstanding(author, for: device)
    guard author != devices[device].author, !waiting.isEmpty else { return }
    try receive(Array(waiting.prefix(1 + random.below(waiting.count))), by: author, on: device)
  }

  private mutating func receive(
    _ batch: [SimulatedDevice.Sent], by author: Int, on device: Int
  ) throws {
    let headers = batch.map(\.header)
    note("device \(device) receives \(author): \(headers.map(\.sequence))")
    devices[device].delivered[author] += batch.count
    let (published, changed) = devices[device].core.receive(batch, wall: wall)
    try record(published, by: device)
    learn(on: device, batch)
    try check(device, changed)
  }

  /// Rule 25: who meets its stream written by another goes on under a new one.
  private mutating func learn(on device: Int, _ batch: [SimulatedDevice.Sent] = []) {
    let core = devices[device].core
    let lineage = core.frontier.lineage
    let isForked = batch.contains { sent in
      sent.header.stream == core.stream
        || sent.header.context.entries(of: core.stream).contains { !lineage.holds($0) }
        || sent.operations.map(\.insert).contains {
          $0.stream == core.stream && !lineage.reaches($0.sequence, of: core.stream)
        }
    }
    guard isForked else { return }
    beginStream(on: device)
    let author = devices[device].author
    note("device \(device) goes on as \(author)")
  }

  /// Delivers until nobody has anything to tell.
  mutating func deliverEverything() throws {
    var isMoving = true
    while isMoving {
      isMoving = false
      for device in devices.indices {
        for author in authors.indices where author != devices[device].author {
          let waiting = outstanding(author, for: device)
          guard !waiting.isEmpty else { continue }
          isMoving = true
          try receive(Array(waiting), by: author, on: device)
        }
      }
    }
    try checkAgreement()
  }

  /// The user of a device says not to wait for what it misses: maybe it comes all the same.
  @discardableResult
  private mutating func giveUp(on device: Int) throws -> Bool {
    let (ends, published) = devices[device].core.giveUp(wall: wall)
    devices[device].givenUp.merge(ends, uniquingKeysWith: max)
    if !ends.isEmpty { note("device \(device) gives up \(ends.values)") }
    try record(published, by: device)
    try check(device, Set(published.flatMap(\.operations).map(\.document)))
    return !ends.isEmpty
  }

  /// Gives a device the newer program.
  mutating func upgrade(_ device: Int) throws {
    note("device \(device) is upgraded")
    devices[device].core.upgrade()
    try record(devices[device].core.releaseRemovals(wall: wall), by: device)
    try check(device, Set(keys))
  }

  /// Everybody gives up what is lost, until nothing is missing and nothing waits.
  mutating func giveUpEverything() throws {
    var rounds = 0
    var isMoving = true
    while isMoving {
      isMoving = false
      rounds += 1
      guard rounds < 20 else { throw failure("nobody can give up enough") }
      for device in devices.indices {
        if try giveUp(on: device) { isMoving = true }
      }
      try deliverEverything()
    }
    for device in devices.indices {
      if devices[device].core.hasWaiting {
        throw failure("device \(device) still has removals that wait")
      }
      if !devices[device].core.frontier.open.isEmpty {
        throw failure("device \(device) still may not claim all that it has")
      }
    }
  }

  /// Enters new transactions into the model, after checking what they claim.
  mutating func record(_ sent: [SimulatedDevice.Sent], by device: Int) throws {
    for transaction in sent {
      let author = devices[device].author
      let header = transaction.header
      authors[author].written.append(transaction)
      let count = authors[author].written.count
      authors[author].available = count
      places[header.tip] = (author, count)
      let seen = vector(of: header.context)
      try checkClaim(seen, by: device)
      devices[device].delivered[author] = count
      note("device \(device) writes \(author):\(count) at \(header.time.rawValue), seen \(seen)")
      for (index, operation) in transaction.operations.enumerated() {
        note("    \(operation.document.id) \(operation.path.pointer) \(operation.kind.code)")
        operations[operation.document, default: []].append(
          PlainModel.Operation(
            dot: PlainModel.Dot(author: author, sequence: count, index: index),
            time: header.time.rawValue, stream: header.stream.rawValue,
            sequence: header.sequence,
            fingerprint: header.fingerprint.rawValue,
            insert: PlainModel.Insert(operation.insert), path: operation.path.keys,
            kind: PlainModel.Kind(operation), seen: Seen(seen)))
      }
    }
  }
}
