extension State {
  var sequences: Vector {
    var result = Vector()
    for index in 0..<count {
      let stream = Int(transactions[index].stream)
      result[stream] = max(result[stream], Int(transactions[index].sequence))
    }
    return result
  }

  static func operations(of transaction: Int) -> OpMask { 15 << OpMask(4 * transaction) }

  /// The operations of one range of one stream.
  func range(_ stream: Int, _ low: Int, _ high: Int) -> OpMask {
    var result: OpMask = 0
    for index in 0..<count where Int(transactions[index].stream) == stream {
      let sequence = Int(transactions[index].sequence)
      if sequence >= low && sequence <= high { result |= State.operations(of: index) }
    }
    return result & (values | coverers | deletes)
  }

  func operations(in vector: Vector) -> OpMask {
    var result: OpMask = 0
    for index in 0..<count {
      let transaction = transactions[index]
      if Int(transaction.sequence) <= vector[Int(transaction.stream)] {
        result |= State.operations(of: index)
      }
    }
    return result & (values | coverers | deletes)
  }

  /// What an author had seen: the context, and what stands before it in the transaction.
  func seen(by operation: Int) -> OpMask {
    let before = (OpMask.one(operation) - 1) & ~(OpMask.one(operation & ~3) - 1)
    return transactions[operation >> 2].seen | before
  }

  /// What it covers (9).
  func cover(of operation: Int) -> OpMask {
    seen(by: operation) & below[transactions[operation >> 2].path(operation & 3)]
  }

  func transaction(_ stream: Int, _ sequence: Int) -> Transaction? {
    for index in 0..<count where Int(transactions[index].stream) == stream {
      if Int(transactions[index].sequence) == sequence { return transactions[index] }
    }
    return nil
  }

  func isStatement(_ file: LogFile) -> Bool {
    range(Int(file.stream), Int(file.low), Int(file.high)) & ~file.carried != 0
  }

  /// Files in an order of their own, and without those that nobody can meet any more: states that
  /// differ only in how they came about are one.
  mutating func normalise(keepingSegments: Bool) {
    var kept = 0
    for index in 0..<fileCount {
      var file = files[index]
      if !keepingSegments && !isStatement(file) { settleNeedless(&file) }
      if file.isRemoved && isGone(file) { continue }
      files[kept] = file
      kept += 1
    }
    for index in kept..<fileCount { files[index] = LogFile() }
    fileCount = kept
    for index in stride(from: 1, to: fileCount, by: 1) {
      var place = index
      while place > 0 && files[place - 1].order > files[place].order {
        files.swapAt(place - 1, place)
        place -= 1
      }
    }
  }

  /// Whole ranges that a reader has applied tell it nothing more, whether they come or go.
  private func settleNeedless(_ file: inout LogFile) {
    for reader in 0..<Bound.devices where reader != Int(file.owner) {
      if devices[reader].applied[Int(file.stream)] >= Int(file.high) {
        file.setArrival(reader, .gone)
      }
    }
  }

  private func isGone(_ file: LogFile) -> Bool {
    for reader in 0..<Bound.devices where reader != Int(file.owner) {
      if file.arrival(reader) != .gone { return false }
    }
    return true
  }

  var fingerprint: UInt64 {
    var hash = Hash()
    for index in 0..<count {
      let item = transactions[index]
      hash.add(UInt64(item.stream) << 32 | UInt64(item.kinds))
      hash.add(UInt64(item.context.bits) << 40 | UInt64(item.insert) << 32 | UInt64(item.sources))
    }
    for index in 0..<Bound.devices {
      let device = devices[index]
      hash.add(UInt64(device.applied.bits) << 40 | UInt64(device.live) << 32 | UInt64(device.held))
    }
    for index in 0..<fileCount {
      let file = files[index]
      hash.add(file.order)
      hash.add(UInt64(file.arrivals) << 56 | UInt64(file.seen.bits) << 32 | UInt64(file.byDelete))
    }
    hash.add(
      UInt64(lost) | UInt64(rollUps) << 8 | UInt64(horizons) << 16 | UInt64(heals) << 24
        | UInt64(trouble.rawValue) << 32 | UInt64(writes) << 40)
    return hash.value
  }
}

struct Hash {
  var value: UInt64 = 0x9E37_79B9_7F4A_7C15

  @inline(__always)
  mutating func add(_ word: UInt64) {
    var mixed = value ^ (word &* 0xBF58_476D_1CE4_E5B9)
    mixed ^= mixed >> 29
    mixed = mixed &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 32
    value = mixed &+ 0x9E37_79B9_7F4A_7C15
  }
}
