/// What one device knows.
struct Device {
  /// What it has applied of each stream.
  var applied = Vector()
  /// The operations in its database: applied, not forgotten (12), not dropped.
  var held: OpMask = 0
  /// Whom it takes for live (20).
  var live: UInt8 = 7
}

/// How far a file has come on its way to a reader.
enum Arrival: UInt8 {
  case pending = 0
  case present, gone
}

/// One file of the folder: a segment, or a roll-up, an adoption, a healed range (22: statements).
struct LogFile {
  var owner: UInt8 = 0
  var stream: UInt8 = 0
  var low: UInt8 = 0
  var high: UInt8 = 0
  var isRemoved = false
  var arrivals: UInt8 = 0
  /// What the writer of a roll-up had seen.
  var seen = Vector()
  var carried: OpMask = 0
  /// Of what it leaves out: what only a delete covered.
  var byDelete: OpMask = 0

  func arrival(_ reader: Int) -> Arrival {
    Arrival(rawValue: arrivals >> UInt8(2 * reader) & 3) ?? .gone
  }
  mutating func setArrival(_ reader: Int, _ arrival: Arrival) {
    let shift = UInt8(2 * reader)
    arrivals = arrivals & ~(3 << shift) | arrival.rawValue << shift
  }
  var order: UInt64 {
    UInt64(owner) << 60 | UInt64(stream) << 56 | UInt64(low) << 52 | UInt64(high) << 48
      | UInt64(isRemoved ? 1 : 0) << 40 | UInt64(carried)
  }
}

/// One state of the whole world: a value without references, so that millions fit.
struct State {
  var count = 0
  var transactions = InlineArray<8, Transaction>(repeating: Transaction())
  var devices = InlineArray<3, Device>(repeating: Device())
  var fileCount = 0
  var files = InlineArray<20, LogFile>(repeating: LogFile())
  var lost: UInt8 = 0
  var writes: UInt8 = 0
  var rollUps: UInt8 = 0
  var horizons: UInt8 = 0
  var heals: UInt8 = 0
  /// What a step did that no rule allows, found while it was done.
  var trouble = Trouble.none
  // Derived from the transactions.
  var values: OpMask = 0
  var coverers: OpMask = 0
  var deletes: OpMask = 0
  var at = InlineArray<4, OpMask>(repeating: 0)
  var below = InlineArray<4, OpMask>(repeating: 0)

  func isLost(_ device: Int) -> Bool { lost >> UInt8(device) & 1 == 1 }
}

enum Trouble: UInt8 {
  case none = 0
  /// More transactions or files than a state has room for: the branch is cut off and counted.
  case overflow
  case lastCopy
}
