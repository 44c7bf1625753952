import ReferenceModel
import Replication
import Testing

/// Small histories, delivered to a newcomer in every order that keeps each stream's own.
@Suite struct DeliveryOrderTests {
  private static let size = History.Size(
    devices: 3...3, steps: 10...24, documents: 2...2, transactions: 5)

  private struct Outcome: Equatable {
    let body: [UInt8]?
    let conflictCount: Int
    let stamps: [Stamp]
  }

  // Lesson 11.
  @Test(arguments: 0..<8)
  func everyOrderShowsTheSame(part: UInt64) throws {
    var looked = 0
    for number in 0..<10 {
      var history = History(seed: 77_000 + part * 100 + UInt64(number), size: Self.size)
      for step in 0..<history.length { try history.take(step) }
      try history.deliverEverything()
      let streams = history.devices.map { $0.written.map(\.transaction) }
      // Removals that had waited come on top; a history with too many has too many orders.
      guard streams.reduce(0, { $0 + $1.count }) <= 6 else { continue }
      looked += 1
      let expected = history.keys.map { Self.outcome(of: history.devices[0].state(of: $0)) }
      for (number, order) in Self.orders(of: streams.map(\.count)).enumerated() {
        let transactions = Self.transactions(in: order, of: streams)
        let seed = history.seed
        let plain = Self.observe(transactions, keys: history.keys, repeating: nil)
        #expect(plain == expected, "seed \(seed), order \(order)")
        let repeated = Self.observe(
          transactions, keys: history.keys, repeating: SplitMix(seed: seed, step: number))
        #expect(repeated == expected, "seed \(seed), order \(order), with repetitions")
        let settled = Self.settling(transactions, keys: history.keys)
        #expect(settled == expected, "seed \(seed), order \(order), settled after each")
      }
    }
    #expect(looked > 0, "no history of part \(part) is small enough")
  }

  /// Every sequence of stream numbers that has `counts[stream]` of each.
  private static func orders(of counts: [Int]) -> [[Int]] {
    guard counts.contains(where: { $0 > 0 }) else { return [[]] }
    return counts.indices.filter { counts[$0] > 0 }.flatMap { stream in
      var rest = counts
      rest[stream] -= 1
      return orders(of: rest).map { [stream] + $0 }
    }
  }

  private static func transactions(
    in order: [Int], of streams: [[Transaction]]
  ) -> [Transaction] {
    var next = streams.map { $0[...] }
    return order.compactMap { next[$0].popFirst() }
  }

  private static func outcome(of state: DocumentState) -> Outcome {
    let view = state.view()
    return Outcome(
      body: view.body, conflictCount: view.conflictCount, stamps: state.entries.map(\.stamp))
  }

  /// Applies the transactions, and where `repeating` is given some of the earlier ones again.
  private static func observe(
    _ transactions: [Transaction], keys: [DocumentKey], repeating: SplitMix?
  ) -> [Outcome] {
    var random = repeating
    var states: [DocumentKey: DocumentState] = [:]
    for (position, transaction) in transactions.enumerated() {
      apply(transaction, to: &states)
      guard random?.chance(50) == true else { continue }
      let before = states
      for earlier in transactions[...position] where random?.chance(50) == true {
        let isChanged = apply(earlier, to: &states)
        #expect(!isChanged)
      }
      #expect(states == before)
    }
    return keys.map { outcome(of: states[$0] ?? DocumentState()) }
  }

  /// As the store does it: contexts that decide nothing any more are dropped at every save.
  private static func settling(
    _ transactions: [Transaction], keys: [DocumentKey]
  ) -> [Outcome] {
    var lineage = Lineage()
    var states: [DocumentKey: DocumentState] = [:]
    for transaction in transactions {
      apply(transaction, to: &states)
      let tip = transaction.header.tip
      let before = lineage.streams[tip.stream]?.lines[0].tip.fingerprint ?? .origin
      lineage.extend(tip, after: before)
      for key in keys {
        states[key]?.lineage = lineage
        states[key]?.settle()
        states[key]?.lineage = nil
      }
    }
    return keys.map { outcome(of: states[$0] ?? DocumentState()) }
  }

  @discardableResult
  private static func apply(
    _ transaction: Transaction, to states: inout [DocumentKey: DocumentState]
  ) -> Bool {
    var isChanged = false
    for (index, operation) in transaction.operations.enumerated() {
      let effect = DocumentState.Effect(operation)
      let header = transaction.header
      let isNew = states[operation.document, default: DocumentState()].apply(
        effect, stamp: header.stamp(index), context: header.context)
      if isNew { isChanged = true }
    }
    return isChanged
  }
}
