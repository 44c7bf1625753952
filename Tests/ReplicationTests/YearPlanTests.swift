import CanonicalJSON
import ReferenceModel
import Testing

/// What `feedsync-simulate year` does follows from its seed, and keeps what it promises.
@Suite("The plan of a year") struct YearPlanTests {
  private static let shape = YearShape(
    devices: 10, documents: 1_000, alive: 300, operations: 25_000, rounds: 120)

  private static func rounds(_ shape: YearShape) -> (plan: YearPlan, rounds: [YearPlan.Round]) {
    var plan = YearPlan(shape)
    var rounds: [YearPlan.Round] = []
    while let round = plan.next() { rounds.append(round) }
    return (plan, rounds)
  }

  @Test("a seed gives the same year again, and another one another")
  func seeds() {
    let first = Self.rounds(Self.shape).rounds
    #expect(first == Self.rounds(Self.shape).rounds)
    let other = YearShape(
      devices: 10, documents: 1_000, alive: 300, operations: 25_000, rounds: 120, seed: 2)
    #expect(first != Self.rounds(other).rounds)
  }

  @Test("there are as many operations, and documents in the end, as are wished")
  func sizes() {
    let (plan, rounds) = Self.rounds(Self.shape)
    #expect(rounds.count == 120)
    #expect((23_500...26_500).contains(plan.operations))
    let certain = (0..<1_000).filter(plan.isCertain)
    #expect(certain.count > 900)
    let there = certain.count { plan.expected($0) != nil }
    #expect((250...300).contains(there))
    for document in certain where document >= 300 { #expect(plan.expected(document) == nil) }
  }

  @Test("a transaction has 1 to 20 operations")
  func transactions() {
    for transaction in Self.rounds(Self.shape).rounds.flatMap(\.work).flatMap({ $0 }) {
      let operations = transaction.reduce(0) { count, action in
        switch action {
        case .create: count + YearDocument.members + 1
        case .patch(_, .object(let patch)): count + patch.members.count
        case .patch, .delete: count + 1
        }
      }
      #expect((1...20).contains(operations))
    }
  }

  @Test("who is lost is given up a quarter of a year later")
  func givingUp() {
    let shape = Self.shape
    #expect(shape.givenUp(in: 83) == [])
    #expect(shape.givenUp(in: 84) == [9])
    #expect(shape.givenUp(in: 108) == [8, 9])
    for device in shape.lost { #expect(shape.presence(of: device, in: 78) == .lost) }
  }

  @Test("who is away or lost does nothing, but the traveller")
  func absence() {
    let shape = Self.shape
    for round in Self.rounds(shape).rounds {
      for device in 0..<10 where !round.work[device].isEmpty {
        #expect([.here, .travelling].contains(round.presence[device]))
      }
      let isTravelling = round.presence[shape.traveller] == .travelling
      #expect(isTravelling == shape.journey.contains(round.number))
    }
  }

  /// Applies all to one plain table, whoever does it: what each writes, it has seen the last of.
  @Test("what is expected is what one after another has written, of which each had the last")
  func expectations() {
    var plan = YearPlan(Self.shape)
    var bodies: [Int: JSONObject] = [:]
    /// Of each document, by whom it was written last, and from when on others have that.
    var written: [Int: (device: Int, given: Int)] = [:]
    var met = Array(repeating: -1, count: 10)
    while let round = plan.next() {
      for (device, work) in round.work.enumerated() {
        for action in work.flatMap({ $0 }) where plan.isCertain(action.document) {
          if let last = written[action.document], last.device != device {
            #expect(met[device] >= last.given, "\(action.document) in round \(round.number)")
          }
          let isAway = round.presence[device] == .travelling
          written[action.document] = (
            device, isAway ? plan.shape.journey.upperBound : round.number
          )
          Self.apply(action, to: &bodies)
        }
      }
      for device in 0..<10 where round.presence[device] == .here { met[device] = round.number }
    }
    for document in 0..<1_000 where plan.isCertain(document) {
      #expect(plan.expected(document) == bodies[document].map { .object($0) })
    }
  }

  private static func apply(_ action: YearPlan.Action, to bodies: inout [Int: JSONObject]) {
    switch action {
    case .create(let document, .object(let body)): bodies[document] = body
    case .patch(let document, .object(let patch)):
      #expect(bodies[document] != nil)
      for (key, value) in patch.members {
        #expect(bodies[document]?[key] != value, "an edit that changes nothing")
        bodies[document]?[key] = value
      }
    case .delete(let document): bodies[document] = nil
    case .create, .patch: Issue.record("a document that is no object")
    }
  }

  @Test("the traveller edits what it has seen, while others go on with it until it returns")
  func journey() {
    let (plan, rounds) = Self.rounds(Self.shape)
    let journey = plan.shape.journey
    #expect(!plan.travelled.isEmpty)
    var edited: Set<Int> = []
    for round in rounds {
      for (device, work) in round.work.enumerated() {
        for action in work.flatMap({ $0 }) where plan.travelled.contains(action.document) {
          #expect(round.number < journey.upperBound)
          guard device == plan.shape.traveller, journey.contains(round.number) else { continue }
          #expect(action == .patch(action.document, YearDocument.travelPatch(action.document)))
          edited.insert(action.document)
        }
      }
    }
    #expect(edited == plan.travelled)
  }
}
