import CanonicalJSON
import ReferenceModel
import Replication

/// A random history of several devices, determined by its seed and the list of its steps.
///
///     var history = History(seed: 7)
///     for step in 0..<history.length { try history.take(step) }
///     try history.deliverEverything()
///
/// Each step draws from a generator of its own, so that a step can be left out to make a failing
/// history shorter.
struct History {
  struct Failure: Error { let message: String }

  /// How large histories become.
  struct Size {
    var devices = 2...4
    var steps = 8...24
    var documents = 2...3
    /// No more local transactions than this, removals that had waited not counted.
    var transactions = Int.max
    /// Whether some devices write kinds that the others do not understand.
    var hasNewer = false
  }

  /// What a reader kept, to write later on top of it.
  struct Read {
    let key: DocumentKey
    let token: VersionToken
    let body: JSON
    /// What had been applied then; the token's `seen` may be more.
    let applied: Context
    /// The paths at which sets showed, undisputed.
    let sets: Set<Path>
  }

  let seed: UInt64
  let size: Size
  let keys: [DocumentKey]
  let length: Int
  var devices: [SimulatedDevice]
  var reads: [[Read]]
  var wall: Int64 = 1_000
  /// By device, how many transactions of each author have been delivered.
  var delivered: [[Int]]
  /// All operations ever made, by document, for the model.
  var operations: [DocumentKey: [PlainModel.Operation]] = [:]
  var isTracing = false
  var trace: [String] = []

  private let skews: [Int64]
  /// By receiver and author: how likely a delivery is, in percent.
  private let links: [[Int]]

  init(seed: UInt64, size: Size = Size()) {
    var random = SplitMix(seed: seed)
    let count = size.devices.lowerBound + random.below(size.devices.count)
    self.seed = seed
    self.size = size
    keys = (0..<size.documents.lowerBound + random.below(size.documents.count)).map {
      DocumentKey(collection: "notes", id: ByteString("\($0)"))
    }
    length = size.steps.lowerBound + random.below(size.steps.count)
    let newer = size.hasNewer ? random.below(count) : -1
    devices = (0..<count).map { SimulatedDevice(author: $0, isNewer: $0 == newer) }
    reads = devices.map { _ in [] }
    delivered = devices.map { _ in Array(repeating: 0, count: count) }
    skews = devices.map { _ in Int64(random.pick([0, 0, -3, 5, 400])) }
    links = devices.map { _ in (0..<count).map { _ in random.pick([4, 30, 70, 95]) } }
  }

  var transactionCount: Int { devices.reduce(0) { $0 + $1.written.count } }

  mutating func take(_ step: Int) throws {
    var random = SplitMix(seed: seed, step: step)
    wall += Int64(random.below(4))
    let device = random.below(devices.count)
    switch random.below(20) {
    case 0..<9: try writeLocally(on: device, &random)
    case 9..<12: read(on: device, key(&random))
    default: try receive(on: device, &random)
    }
  }

  /// A document; the first one more often, so that devices meet.
  func key(_ random: inout SplitMix) -> DocumentKey {
    random.chance(60) ? keys[0] : random.pick(keys)
  }

  func wall(of device: Int) -> Int64 { wall + skews[device] }

  mutating func note(_ line: @autoclosure () -> String) {
    if isTracing { trace.append(line()) }
  }
}

// MARK: - Reading and delivery

extension History {
  private mutating func read(on device: Int, _ key: DocumentKey) {
    let state = devices[device].state(of: key)
    let view = state.view()
    guard let body = view.json,
      let token = VersionToken(
        of: view, in: state, frontier: devices[device].frontier, digest: SimulatedDevice.digest)
    else { return }
    note("device \(device) reads \(key.id): \(body.canonical)")
    let sets = (view.root?.subtree ?? []).filter { node in
      node.content.kind == .set && !node.isConflicted && !node.isUnfounded
    }
    reads[device].append(
      Read(
        key: key, token: token, body: body, applied: devices[device].frontier.applied,
        sets: Set(sets.map(\.path))))
  }

  private mutating func receive(on device: Int, _ random: inout SplitMix) throws {
    var batch: [SimulatedDevice.Sent] = []
    for author in devices.indices where author != device {
      guard random.chance(links[device][author]) else { continue }
      let outstanding = devices[author].written[delivered[device][author]...]
      guard !outstanding.isEmpty else { continue }
      batch += outstanding.prefix(1 + random.below(outstanding.count))
    }
    try receive(batch, on: device)
  }

  mutating func receive(_ batch: [SimulatedDevice.Sent], on device: Int) throws {
    guard !batch.isEmpty else { return }
    note("device \(device) receives " + batch.map(\.header.name).joined(separator: ", "))
    for transaction in batch { delivered[device][transaction.header.author] += 1 }
    let (published, changed) = devices[device].receive(batch, wall: wall(of: device))
    for transaction in published { try record(transaction, by: device) }
    let documents = published.flatMap(\.operations).map(\.document)
    try check(device, changed.union(documents))
  }

  /// Delivers until nobody has anything to tell.
  mutating func deliverEverything() throws {
    for device in devices.indices where size.hasNewer { try upgrade(device) }
    var isMoving = true
    while isMoving {
      isMoving = false
      for device in devices.indices {
        let batch = devices.indices.filter { $0 != device }.flatMap { author in
          devices[author].written[delivered[device][author]...]
        }
        guard !batch.isEmpty else { continue }
        isMoving = true
        try receive(batch, on: device)
      }
    }
    try checkAgreement()
  }

  private mutating func upgrade(_ device: Int) throws {
    note("device \(device) is upgraded")
    devices[device].upgrade()
    for transaction in devices[device].releaseRemovals(wall: wall(of: device)) {
      try record(transaction, by: device)
    }
    try check(device, Set(keys))
  }

  /// Enters a new transaction into the model, after checking what it claims.
  mutating func record(_ transaction: SimulatedDevice.Sent, by device: Int) throws {
    try checkClaim(of: transaction, by: device)
    delivered[device][device] += 1
    let header = transaction.header
    let seen = devices.map { Int(header.context.sequence(of: $0.stream)) }
    note("device \(device) publishes \(header.name) at \(header.time.rawValue), seen \(seen)")
    for (index, operation) in transaction.operations.enumerated() {
      let new = PlainModel.Operation(
        dot: PlainModel.Dot(author: device, sequence: Int(header.sequence), index: index),
        time: header.time.rawValue, stream: header.stream.rawValue, sequence: header.sequence,
        fingerprint: header.fingerprint.rawValue, insert: PlainModel.Insert(operation.insert),
        path: operation.path.keys,
        kind: PlainModel.Kind(operation), seen: Seen(seen))
      note("    \(operation.document.id): \(operation.text)")
      operations[operation.document, default: []].append(new)
    }
  }
}

extension PlainModel.Insert {
  init(_ dot: Dot) {
    self.init(stream: dot.stream.rawValue, sequence: dot.sequence, index: Int(dot.index))
  }
}

extension PlainModel.Kind {
  init(_ operation: Operation) {
    switch operation.kind {
    case .set: self = .set(Leaf(unchecked: operation.payload).json)
    case .clear: self = .clear
    case .remove: self = .remove
    case .delete: self = .delete
    case .increment: self = .increment(CounterAmount.increment(of: operation.payload) ?? 0)
    case .counter:
      let start = CounterStart(payload: operation.payload)
      self = .start(
        start?.number ?? 0, mark: start?.mark ?? 0,
        counted: Set(
          (start?.counted ?? []).map {
            PlainModel.Counted(
              stream: $0.dot.stream.rawValue, sequence: $0.dot.sequence,
              index: Int($0.dot.index), fingerprint: $0.fingerprint.rawValue)
          }))
    case .add: self = .add
    case .emptySet: self = .emptySet
    default:
      let cover: PlainModel.Cover =
        switch operation.kind.cover {
        case .nothing: .nothing
        case .path: .path
        case .document: .document
        }
      self = .newer(cover: cover, carriesValue: operation.kind.carriesValue)
    }
  }
}

// MARK: - Names for the trace

extension Transaction.Header {
  /// The number of the device that wrote it.
  var author: Int { Int(stream.rawValue) - 1 }
  fileprivate var name: String { "\(author):\(sequence)" }
}

extension Operation {
  fileprivate var text: String {
    let place = path.isRoot ? "the root" : path.pointer
    return switch kind {
    case .set: "set \(place) to \(Leaf(unchecked: payload).json.canonical)"
    case .increment: "increment \(place) by \(CounterAmount.increment(of: payload) ?? 0)"
    case .counter: "start \(place) at \(CounterAmount.start(of: payload) ?? 0)"
    default: "\(kind.name) \(place)"
    }
  }
}
