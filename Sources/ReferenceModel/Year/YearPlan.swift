import CanonicalJSON

/// Who does what in a year, and what the documents are to be in the end.
///
///     var plan = YearPlan(YearShape())
///     while let round = plan.next() { … }   // do it, and let those who are here exchange
///     plan.expected(document)
///
/// A document is edited by one device at a time; it goes over to another one that has seen the last
/// edit. So what it is to be is known without any merging: as often as each member was written.
/// A few are **contested**: several devices edit them in one round. A few are **travelled**: the
/// traveller edits them without seeing what the others do, who leave them alone from its return on.
/// Of both, only the sync knows what comes out.
package struct YearPlan: Sendable {
  package enum Action: Sendable, Equatable {
    case create(Int, JSON)
    case patch(Int, JSON)
    case delete(Int)

    package var document: Int {
      switch self {
      case .create(let document, _), .patch(let document, _), .delete(let document): document
      }
    }
  }

  /// One round: of each device, its transactions.
  package struct Round: Sendable, Equatable {
    package let number: Int
    package let presence: [YearShape.Presence]
    package internal(set) var work: [[[Action]]]
  }

  private struct Document {
    var isThere = false
    var owner: UInt8 = 0
    /// From which round's end on others can have its last edit.
    var given: Int32 = 0
  }

  package let shape: YearShape
  private let events: YearEvents
  private var random: SplitMix
  private var documents: [Document]
  private var versions: [UInt16]
  /// The last round in which each device exchanged what it had.
  private var met: [Int]
  private var round = 0
  /// The documents that the traveller edits, those that it has not come to yet at the end.
  private var toTravel: [Int] = []
  package private(set) var travelled: Set<Int> = []
  /// How many operations the actions have that others know nothing of.
  package private(set) var operations = 0

  package init(_ shape: YearShape) {
    self.shape = shape
    events = YearEvents(shape)
    random = SplitMix(seed: shape.seed)
    documents = Array(repeating: Document(), count: shape.documents)
    versions = Array(repeating: 0, count: shape.documents * YearDocument.members)
    met = Array(repeating: -1, count: shape.devices)
  }

  /// What is to be done next; nil when the year is over.
  package mutating func next() -> Round? {
    guard round < shape.rounds else { return nil }
    let presence = (0..<shape.devices).map { shape.presence(of: $0, in: round) }
    var actions: [[(action: Action, operations: Int)]] = Array(repeating: [], count: shape.devices)
    if round == shape.journey.lowerBound { chooseTravelled() }
    for event in events.events(in: round) {
      for (device, action, count) in decide(event, presence) {
        actions[device].append((action, count))
        operations += count
      }
    }
    for document in travelNow() {
      actions[shape.traveller].append((.patch(document, YearDocument.travelPatch(document)), 1))
      operations += 1
    }
    for device in presence.indices where presence[device] == .here { met[device] = round }
    defer { round += 1 }
    return Round(number: round, presence: presence, work: actions.map { divided($0) })
  }

  /// What a document is to be in the end: nil where it is to be absent.
  ///
  /// - precondition: it is neither contested nor travelled.
  package func expected(_ document: Int) -> JSON? {
    guard documents[document].isThere else { return nil }
    return .object(
      YearDocument.object(document, members: .max, versions: versions(of: document)))
  }

  /// Whether it is known what a document is to be.
  package func isCertain(_ document: Int) -> Bool {
    !shape.isContested(document) && !travelled.contains(document)
  }

  private func versions(of document: Int) -> [UInt16] {
    let start = document * YearDocument.members
    return Array(versions[start..<start + YearDocument.members])
  }
}

// MARK: - Who does it

extension YearPlan {
  private mutating func decide(
    _ event: YearEvents.Event, _ presence: [YearShape.Presence]
  ) -> [(device: Int, action: Action, operations: Int)] {
    let document = event.document
    // From the return on, what the traveller wrote is to be found as it was.
    if travelled.contains(document), round >= shape.journey.upperBound { return [] }
    guard let device = device(for: event, presence) else { return [] }
    var doers = [device]
    if shape.isContested(document), event.kind != .create, random.chance(60),
      let other = anyone(in: presence, having: documents[document]), other != device
    {
      doers.append(other)
    }
    let isTravelling = presence[device] == .travelling
    documents[document].owner = UInt8(device)
    documents[document].given = Int32(isTravelling ? shape.journey.upperBound : round)
    documents[document].isThere = event.kind != .delete
    return doers.enumerated().map { place, device in
      // Some edit what another deletes.
      let isEdit = place > 0 && event.kind == .delete && document.isMultiple(of: 2)
      let event = isEdit ? .init(document: document, kind: .edit, members: 1) : event
      let (action, count) = action(event)
      return (device, action, count)
    }
  }

  /// Who is to do it: who did the last, or somebody who has seen that.
  private mutating func device(
    for event: YearEvents.Event, _ presence: [YearShape.Presence]
  ) -> Int? {
    guard event.kind != .create else {
      if presence[shape.traveller] == .travelling, random.below(200) == 0 {
        return shape.traveller
      }
      return random.pick(presence.indices.filter { presence[$0] == .here })
    }
    let document = documents[event.document]
    guard document.isThere else { return nil }
    let owner = Int(document.owner)
    let isOwnerThere =
      presence[owner] == .here
      // What it made on its way is known to nobody else.
      || presence[owner] == .travelling && document.given > round
    if isOwnerThere, !random.chance(20) { return owner }
    return anyone(in: presence, having: document) ?? (isOwnerThere ? owner : nil)
  }

  /// One that works, and has seen the last edit of a document.
  private mutating func anyone(
    in presence: [YearShape.Presence], having document: Document
  ) -> Int? {
    let knowing = presence.indices.filter {
      presence[$0] == .here && met[$0] >= Int(document.given)
    }
    return knowing.isEmpty ? nil : random.pick(knowing)
  }

  private mutating func action(_ event: YearEvents.Event) -> (Action, operations: Int) {
    let document = event.document
    switch event.kind {
    case .create:
      let body = YearDocument.object(document, members: .max, versions: versions(of: document))
      return (.create(document, .object(body)), YearDocument.members + 1)
    case .edit:
      for member in 0..<YearDocument.members where event.members & (1 << UInt8(member)) != 0 {
        versions[document * YearDocument.members + member] &+= 1
      }
      let patch = YearDocument.object(
        document, members: event.members, versions: versions(of: document))
      return (.patch(document, .object(patch)), event.members.nonzeroBitCount)
    case .delete: return (.delete(document), 1)
    }
  }

  /// Takes documents that the traveller has seen, from all that are there.
  private mutating func chooseTravelled() {
    let seen = met[shape.traveller]
    let there = documents.indices.filter {
      documents[$0].isThere && !shape.isContested($0) && Int(documents[$0].given) <= seen
    }
    let wanted = min(there.count, max(1, shape.documents / shape.travelledEvery))
    while travelled.count < wanted { travelled.insert(random.pick(there)) }
    toTravel = travelled.sorted()
  }

  /// Some of the documents in each round of the journey, all of them by its end.
  private mutating func travelNow() -> ArraySlice<Int> {
    guard shape.journey.contains(round) else { return [] }
    let rounds = shape.journey.upperBound - round
    let count = (toTravel.count + rounds - 1) / rounds
    defer { toTravel.removeLast(count) }
    return toTravel.suffix(count)
  }

  /// Transactions of 1 to 20 operations.
  private mutating func divided(
    _ actions: [(action: Action, operations: Int)]
  ) -> [[Action]] {
    var transactions: [[Action]] = []
    var room = 0
    for (action, count) in actions {
      if room < count || transactions.isEmpty {
        transactions.append([])
        room = max(count, 1 + random.below(20))
      }
      transactions[transactions.count - 1].append(action)
      room -= count
    }
    return transactions
  }
}
