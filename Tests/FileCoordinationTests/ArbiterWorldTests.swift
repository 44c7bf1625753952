import Testing

/// Whatever happens in whatever order: nobody is let in beside another, nobody waits for ever, no
/// presenter stays away for good, or is not told of what it has to know, and the arbiter never
/// leaves anything undone until somebody comes.
@Suite struct ArbiterWorldTests {
  @Test(arguments: 0..<20)
  func nobodyIsLetInBesideAnotherAndNobodyWaitsForEver(batch: Int) {
    for seed in batch * 10..<batch * 10 + 10 {
      let world = ArbiterWorld(seed: UInt64(seed))
      for _ in 0..<1_500 { world.step() }
      world.settle()
      #expect(world.complaints.isEmpty, "seed \(seed)")
    }
  }

  @Test(arguments: 0..<10)
  func whereNothingIsLostAllAreAskedAndToldOfAllChanges(batch: Int) {
    for seed in batch * 10..<batch * 10 + 10 {
      let world = ArbiterWorld(seed: UInt64(seed), isCalm: true)
      for _ in 0..<1_500 { world.step() }
      world.settle()
      #expect(world.complaints.isEmpty, "seed \(seed)")
    }
  }

  @Test(arguments: 0..<10)
  func whereArbitersEndAllAreAskedAllTheSame(batch: Int) {
    for seed in batch * 10..<batch * 10 + 10 {
      let world = ArbiterWorld(seed: UInt64(seed), isCalm: true, hasTakeovers: true)
      for _ in 0..<1_500 { world.step() }
      world.settle()
      #expect(world.complaints.isEmpty, "seed \(seed)")
    }
  }

  @Test func theWorldIsOneInWhichThingsHappen() {
    var counts: [String: Int] = [:]
    for seed in 0..<160 {
      let world = ArbiterWorld(seed: UInt64(seed), isCalm: seed % 2 == 0)
      for _ in 0..<1_500 { world.step() }
      counts.merge(world.counts) { $0 + $1 }
    }
    for what in [
      "claims", "nested claims", "inherited claims", "claims in answer", "batches", "grants",
      "deadlocks", "kills", "takeovers", "lost connections", "moves", "moves to free names",
      "moves told", "lapses",
    ] {
      #expect(counts[what, default: 0] > 20, "\(what): \(counts)")
    }
  }
}
