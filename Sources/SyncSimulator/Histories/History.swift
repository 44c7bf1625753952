import ReferenceModel

/// Everything that happens in a world, as data: what a seed stands for, what a file holds, and what
/// the shrinker makes shorter.
struct History: Sendable {
  /// Decides, beside the steps, what the world is like: links, clocks, file systems.
  let seed: UInt64
  let devices: Int
  let documents: Int
  /// Whether who compacts drops whatever is dead, also where that is little of a file.
  let isEager: Bool
  var steps: [Step]
}

extension History {
  /// The history that a seed stands for.
  ///
  /// - parameter lanes: what happens beside what happens everywhere; nil for what the seed says.
  init(seed: UInt64, devices: Int, steps: Int, lanes: Set<Lane>? = nil) {
    var random = SplitMix(seed: seed)
    let lanes = lanes ?? Lane.drawn(by: seed)
    let climate = Climate(&random, lanes: lanes)
    let busy = random.pick([1, 2, devices])
    // Where few meet, some documents are made late, and not by all.
    let more = lanes.contains(.partitions) ? 8 : 0
    self.init(
      seed: seed, devices: devices, documents: 2 + random.below(3) + more,
      isEager: Self.isEager(seed: seed, lanes: lanes),
      steps: (0..<steps).map { _ in
        // In some worlds a few devices do most of the work.
        let device = random.chance(40) ? random.below(min(busy, devices)) : random.below(devices)
        return Step(kind: climate.kind(&random), device: device, salt: random.next())
      })
  }
}

extension History {
  private static func isEager(seed: UInt64, lanes: Set<Lane>) -> Bool {
    var random = SplitMix(seed: seed ^ 0xEA6E2)
    return !lanes.isDisjoint(with: [.compacting, .travelling]) && random.chance(60)
  }
}

extension History: CustomStringConvertible {
  /// The text of a file: a line for the world, and one for each step.
  var description: String {
    let world =
      "world \(String(seed, radix: 16)) devices \(devices) documents \(documents)"
      + (isEager ? " eager" : "")
    return ([world] + steps.map(\.description)).joined(separator: "\n") + "\n"
  }

  /// Why a text is no history.
  struct Malformed: Error, CustomStringConvertible {
    let line: Int
    var description: String { "line \(line) of the history is not one that can be read" }
  }

  /// Reads the text of a file; lines that begin with # are comments.
  init(parsing text: String) throws(Malformed) {
    var world: (seed: UInt64, devices: Int, documents: Int, isEager: Bool)?
    var steps: [Step] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    where !line.isEmpty && !line.hasPrefix("#") {
      if let known = world {
        guard let step = Step(line), step.device < known.devices else {
          throw Malformed(line: index + 1)
        }
        steps.append(step)
      } else {
        let words = line.split(separator: " ")
        let isEager = words.count == 7 && words[6] == "eager"
        guard words.count == 6 || isEager, words[0] == "world",
          let seed = UInt64(words[1], radix: 16),
          let devices = Int(words[3]), (1...64).contains(devices),
          let documents = Int(words[5]), (1...64).contains(documents)
        else { throw Malformed(line: index + 1) }
        world = (seed, devices, documents, isEager)
      }
    }
    guard let world else { throw Malformed(line: 1) }
    self.init(
      seed: world.seed, devices: world.devices, documents: world.documents,
      isEager: world.isEager, steps: steps)
  }
}
