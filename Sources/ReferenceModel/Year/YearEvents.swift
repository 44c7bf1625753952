/// What is to happen to a year's documents, round by round, whoever does it: each is made, edited
/// several times, mostly while it is young, and most are deleted.
package struct YearEvents: Sendable {
  package enum Kind: UInt8, Sendable {
    case create = 0
    case edit = 1
    case delete = 2
  }

  package struct Event: Sendable, Equatable {
    package let document: Int
    package let kind: Kind
    /// The members that an edit writes, a bit each.
    package let members: UInt8
  }

  /// The events of each round, packed: 200,000 documents have millions.
  private var packed: [[UInt64]]
  private let shape: YearShape

  package init(_ shape: YearShape) {
    self.shape = shape
    packed = Array(repeating: [], count: shape.rounds)
    for document in 0..<shape.documents { add(document) }
  }

  /// What happens in a round, each document's in its order.
  package func events(in round: Int) -> [Event] {
    packed[round].map { value in
      Event(
        document: Int(value >> 16), kind: Kind(rawValue: UInt8(value >> 8 & 0xFF)) ?? .edit,
        members: UInt8(value & 0xFF))
    }
  }

  /// How many edits a document has on average, for all operations to be as many as is wished: an
  /// insert has one for each member and one for the document, an edit two on average.
  private var meanEdits: Double {
    let deleted = shape.documents - shape.alive
    let others = shape.documents * (YearDocument.members + 1) + deleted
    return max(0, Double(shape.operations - others) / Double(shape.documents) / 2)
  }

  private mutating func add(_ document: Int) {
    var random = SplitMix(seed: shape.seed &* 0x9E37, step: document)
    // The last ones are a while before the end, so that they have been edited.
    let created = random.below(max(1, shape.rounds * 97 / 100))
    let last = shape.rounds - 1
    let isDeleted = document >= shape.alive
    let end = isDeleted ? created + 1 + Int(Double(last - created - 1) * random.early()) : last
    var edits: [Int] = []
    for _ in 0..<Int(meanEdits * 2 * random.unit() + 0.5) {
      let youth = min(end - created, max(1, shape.rounds / 18))
      let span = random.chance(85) ? Double(youth) * random.early() : Double(end - created)
      edits.append(created + Int(span * random.unit()))
    }
    append(document, .create, in: created)
    for round in edits.sorted() {
      append(document, .edit, in: min(round, last), members: random.members())
    }
    if isDeleted { append(document, .delete, in: min(end, last)) }
  }

  private mutating func append(
    _ document: Int, _ kind: Kind, in round: Int, members: UInt8 = 0
  ) {
    packed[round].append(
      UInt64(document) << 16 | UInt64(kind.rawValue) << 8 | UInt64(members))
  }
}

extension SplitMix {
  /// A number from 0 up to and without 1.
  fileprivate mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }

  /// A number from 0 up to and without 1, small more often than not.
  fileprivate mutating func early() -> Double {
    let unit = unit()
    return unit * unit
  }

  /// One to three members; what changes often, more often.
  fileprivate mutating func members() -> UInt8 {
    let often: [UInt8] = [0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 5]
    var mask: UInt8 = 0
    for _ in 0..<1 + below(3) {
      var member = pick(often)
      while mask & (1 << member) != 0 { member = (member + 1) % UInt8(YearDocument.members) }
      mask |= 1 << member
    }
    return mask
  }
}
