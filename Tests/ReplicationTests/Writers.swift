import CanonicalJSON
import Replication
import Testing

/// A few devices with one document, for tests that tell a history step by step.
struct Writers {
  static let key = DocumentKey(collection: "notes", id: "1")
  private(set) var devices: [SimulatedDevice]
  private var wall: Int64 = 1_000

  /// - parameter newer: the devices whose program is a newer one.
  init(_ count: Int, newer: Set<Int> = []) {
    devices = (0..<count).map { SimulatedDevice(author: $0, isNewer: newer.contains($0)) }
  }

  /// Gives a device the newer program.
  mutating func upgrade(_ device: Int) {
    devices[device].upgrade()
    _ = devices[device].releaseRemovals(wall: wall)
  }

  func state(_ device: Int) -> DocumentState { devices[device].state(of: Self.key) }
  func body(_ device: Int) -> String? { state(device).view().json?.canonical }
  func conflicts(_ device: Int) -> Int { state(device).view().conflictCount }

  func token(_ device: Int) throws -> VersionToken {
    try #require(
      VersionToken(
        of: state(device).view(), in: state(device), frontier: devices[device].frontier,
        digest: SimulatedDevice.digest))
  }

  /// Makes each edit a step of one transaction.
  mutating func write(_ device: Int, _ edits: Edit...) throws {
    wall += 1
    var draft = try #require(devices[device].beginDraft(wall: wall))
    for edit in edits { try take(edit, on: device, in: &draft) }
    _ = devices[device].commit(draft)
    _ = devices[device].releaseRemovals(wall: wall)
  }

  mutating func put(_ device: Int, _ text: String) throws { try write(device, .put(text)) }
  mutating func delete(_ device: Int) throws { try write(device, .delete) }

  /// Writes another document, by somebody who has seen what there is of this one.
  mutating func writeElsewhere(_ device: Int) throws {
    wall += 1
    let key = DocumentKey(collection: "notes", id: "2")
    var draft = try #require(devices[device].beginDraft(wall: wall))
    let wanted = try json("{}")
    let outcome = outcome(
      wanted: wanted, patch: nil, token: nil, of: devices[device].state(of: key, in: draft),
      on: device)
    guard case .write(let plan) = outcome else {
      Issue.record("the other document is \(outcome)")
      return
    }
    devices[device].perform(plan, wanted: wanted, at: key, in: &draft)
    _ = devices[device].commit(draft)
  }

  /// Gives `device` all that `author` wrote and it does not have, or the next `count` of that.
  mutating func deliver(from author: Int, to device: Int, count: Int = .max) {
    wall += 1
    let start = devices[device].frontier.applied.sequence(of: devices[author].stream)
    let batch = devices[author].written[Int(start)...].prefix(count)
    _ = devices[device].receive(Array(batch), wall: wall)
  }

  /// Delivers everything to everybody.
  mutating func deliverEverything() {
    var count = -1
    while count != written {
      count = written
      for device in devices.indices {
        for author in devices.indices where author != device { deliver(from: author, to: device) }
      }
    }
  }

  private var written: Int { devices.reduce(0) { $0 + $1.written.count } }

  enum Edit {
    case put(String, VersionToken? = nil)
    case patch(String)
    case delete
    /// Settles edits whose insert is not here: by a body, or the document's absence.
    case settle(String?)
    /// Adds to the counter at a JSON Pointer.
    case add(Int64, String)
    /// Adds to and removes from the set at a JSON Pointer.
    case elements(adding: [JSON], removing: [JSON], String)
    /// What a newer version writes at a JSON Pointer.
    case newer(OperationKind, String)
  }

  /// What an edit of a counter or a set would come to; nil for other edits.
  func outcome(_ device: Int, _ edit: Edit) throws -> KindEdit.Outcome? {
    try kindOutcome(edit, of: state(device), on: device)
  }

  private func kindOutcome(
    _ edit: Edit, of state: DocumentState, on device: Int
  ) throws -> KindEdit.Outcome? {
    switch edit {
    case .add(let amount, let pointer):
      return state.plan(
        .increment(amount), at: try #require(Path(pointer: pointer)),
        frontier: devices[device].frontier)
    case .elements(let adding, let removing, let pointer):
      let edit = KindEdit.elements(
        adding: Set(adding.map { SetElement($0) }), removing: Set(removing.map { SetElement($0) }))
      return state.plan(
        edit, at: try #require(Path(pointer: pointer)), frontier: devices[device].frontier)
    default: return nil
    }
  }

  /// The plan of one operation of a kind that only a newer version has.
  private func newerPlan(
    _ kind: OperationKind, at pointer: String, of state: DocumentState, on device: Int
  ) throws -> EditPlan {
    let frontier = devices[device].frontier
    let step = EditPlan.Step(
      kind, at: try #require(Path(pointer: pointer)), payload: kind.carriesValue ? [7] : [])
    return EditPlan(
      steps: [step], context: frontier.closed, seen: frontier.seen,
      insert: try #require(state.view().inserts.last?.dot))
  }

  func outcome(
    _ device: Int, put text: String, token: VersionToken? = nil
  ) throws -> EditPlan.Outcome {
    try outcome(wanted: json(text), patch: nil, token: token, of: state(device), on: device)
  }

  private func outcome(
    wanted: JSON, patch: JSON?, token: VersionToken?, of state: DocumentState, on device: Int
  ) -> EditPlan.Outcome {
    state.plan(
      writing: wanted, patch: patch, token: token, frontier: devices[device].frontier,
      digest: SimulatedDevice.digest)
  }

  private func take(
    _ edit: Edit, on device: Int, in draft: inout SimulatedDevice.Draft
  ) throws {
    let state = devices[device].state(of: Self.key, in: draft)
    let wanted: JSON
    let outcome: EditPlan.Outcome
    switch edit {
    case .add, .elements:
      guard case .write(let plan, let body) = try kindOutcome(edit, of: state, on: device) else {
        Issue.record("\(edit) is not written")
        return
      }
      return devices[device].perform(plan, wanted: body, at: Self.key, in: &draft)
    case .newer(let kind, let pointer):
      let plan = try newerPlan(kind, at: pointer, of: state, on: device)
      return devices[device].perform(plan, wanted: state.view().json, at: Self.key, in: &draft)
    case .delete:
      let plan = try #require(state.planDelete(frontier: devices[device].frontier))
      return devices[device].perform(plan, wanted: nil, at: Self.key, in: &draft)
    case .settle(nil):
      let plan = try #require(
        state.planDelete(frontier: devices[device].frontier, settlesOrphans: true))
      return devices[device].perform(plan, wanted: nil, at: Self.key, in: &draft)
    case .settle(let text?):
      wanted = try json(text)
      outcome = state.plan(
        writing: wanted, settlesOrphans: true, frontier: devices[device].frontier,
        digest: SimulatedDevice.digest)
    case .put(let text, let token):
      wanted = try json(text)
      outcome = self.outcome(wanted: wanted, patch: nil, token: token, of: state, on: device)
    case .patch(let text):
      let patch = try json(text)
      wanted = (state.view().json ?? .object(JSONObject())).mergePatched(with: patch)
      outcome = self.outcome(wanted: wanted, patch: patch, token: nil, of: state, on: device)
    }
    guard case .write(let plan) = outcome else {
      Issue.record("\(edit) is \(outcome)")
      return
    }
    devices[device].perform(plan, wanted: wanted, at: Self.key, in: &draft)
  }
}

/// Reads JSON that a test wrote down as text.
func json(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }
