import DocumentStorage
import Replication
import SegmentFormat
import Syncing
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// Six segments of three devices that edited the same documents, partly without knowing of one
/// another.
private struct ConcurrentEdits {
  let world: World
  let files: [LogFile]
  /// What the devices show once all have all.
  let expected: String

  init(seed: UInt64, rounds: Int) throws {
    let world = try World(seed: seed)
    self.world = world
    var generator = SeededGenerator(seed: seed)
    let names: [FilePath.Component] = ["ann", "bob", "cem"]
    let peers = try names.map { try world.peer($0.string, in: try world.folder($0)) }
    for round in 0..<rounds {
      for peer in peers {
        try Self.edit(peer, &generator, round: round)
        world.advance(milliseconds: Int64(generator.below(3)))
      }
      try Self.exchange(peers, in: world, &generator)
    }
    var files: [LogFile] = []
    for peer in peers {
      files += try world.logs(in: peer.folder).filter { $0.directory == peer.directory }
    }
    self.files = files
    for peer in peers {
      for file in files { try world.deliver(file, to: peer.folder) }
      try peer.importAll()
    }
    expected = try peers[0].dump()
    for peer in peers { #expect(try peer.dump() == expected) }
  }

  private static func edit(
    _ peer: Peer, _ generator: inout SeededGenerator, round: Int
  ) throws {
    let id = "\(generator.below(2))"
    switch generator.below(5) {
    case 0 where round > 0: try peer.delete(id)
    case 1: try peer.put(id, #"{"a":{"x":\#(generator.below(9))},"b":[\#(round)]}"#)
    case 2: try peer.put(id, #"{"a":\#(generator.below(9))}"#)
    default:
      try peer.put(id, #"{"a":{"x":1,"y":\#(generator.below(9))},"c":"\#(generator.below(9))"}"#)
    }
    // At least one segment each time, whatever was the same before.
    try peer.put("log-\(peer.stream)", #"{"round":\#(round)}"#)
    try peer.publish()
  }

  /// Each device sees some of the others' files.
  private static func exchange(
    _ peers: [Peer], in world: World, _ generator: inout SeededGenerator
  ) throws {
    for source in peers {
      for target in peers where target.stream != source.stream && generator.below(2) == 0 {
        for file in try world.logs(in: source.folder) {
          try world.deliver(file, to: target.folder)
        }
        try target.importAll()
      }
    }
  }

  /// What a new device shows if the segments are applied as they come, each once it fits.
  func state(applying order: [LogFile]) throws -> String {
    let reader = try world.peer("reader", in: world.root)
    var waiting: [ImportableSegment] = []
    var reached: [StreamID: UInt64] = [:]
    for file in order {
      let (segment, digest) = try file.decoded()
      waiting.append(
        ImportableSegment(
          segment: segment, digest: digest, bytes: file.bytes, isUnderOwnName: true,
          file: file.key))
      while let index = waiting.firstIndex(where: {
        $0.segment.range.first == reached[$0.segment.range.stream, default: 0] + 1
      }) {
        let next = waiting.remove(at: index)
        reached[next.segment.range.stream] = next.segment.range.last
        _ = try reader.device.database.apply(
          [next], now: reader.device.ambient.time, nonce: reader.device.nonce)
      }
    }
    #expect(waiting.isEmpty)
    return try reader.dump()
  }

  /// What a new device shows after the files have come in this order, one import each.
  func state(after order: [LogFile], name: FilePath.Component, step: Int = 1) throws -> String {
    let reader = try world.peer(name.string, in: try world.folder(name))
    let importer = Importer(device: reader.device)
    for (index, file) in order.enumerated() {
      try world.deliver(file, to: reader.folder)
      if index % step == step - 1 { _ = try importer.importAll() }
    }
    let report = try importer.importAll()
    #expect(report.gaps.isEmpty)
    #expect(report.setAside.isEmpty)
    let dump = try reader.dump()
    world.fake?.removeTree(reader.folder)
    return dump
  }
}

@Suite("The state after an import") struct SameStateTests {
  @Test("is the same for every order of six segments")
  func permutations() throws {
    let edits = try ConcurrentEdits(seed: 2, rounds: 1)
    let files = edits.files
    try #require(files.count == 6)
    var count = 0
    try forEachPermutation(of: files) { order in
      count += 1
      let applied = try edits.state(applying: order)
      #expect(applied == edits.expected)
      // The whole way through the folder takes twenty times as long in a debug build.
      guard count.isMultiple(of: 60) else { return }
      let name = try #require(FilePath.Component("p\(count)"))
      let imported = try edits.state(after: order, name: name)
      #expect(imported == edits.expected)
    }
    #expect(count == (1...files.count).reduce(1, *))
  }

  @Test(
    "is the same for random orders, sizes of imports and duplicates",
    arguments: 1...4 as ClosedRange<UInt64>)
  func randomOrders(seed: UInt64) throws {
    let edits = try ConcurrentEdits(seed: seed &* 977, rounds: 3)
    var generator = SeededGenerator(seed: seed)
    for round in 0..<3 {
      var order = edits.files.shuffled(using: &generator)
      for (index, file) in order.enumerated() where generator.below(3) == 0 {
        let name = try #require(FilePath.Component("copy-\(index).log"))
        order.append(LogFile(directory: file.directory, name: name, bytes: file.bytes))
      }
      order.shuffle(using: &generator)
      let name = try #require(FilePath.Component("r\(round)"))
      let state = try edits.state(
        after: order, name: name, step: 1 + generator.below(order.count))
      #expect(state == edits.expected)
    }
  }

  private func forEachPermutation(
    of files: [LogFile], _ body: ([LogFile]) throws -> Void
  ) throws {
    var order = files
    var counters = [Int](repeating: 0, count: files.count)
    try body(order)
    var index = 0
    // Heap's algorithm.
    while index < files.count {
      guard counters[index] < index else {
        counters[index] = 0
        index += 1
        continue
      }
      order.swapAt(index.isMultiple(of: 2) ? 0 : counters[index], index)
      try body(order)
      counters[index] += 1
      index = 0
    }
  }
}
