/// What a syncer puts into the name of a conflict copy, and where it stands.
struct ConflictMark {
  let syncer: ConflictCopy.Syncer
  /// The first byte that does not belong to the name before it.
  let start: Int
  /// The first byte after it.
  let end: Int
  let moment: ConflictCopy.Moment
  let savedBy: String?

  /// `.sync-conflict-YYYYMMDD-HHMMSS`, mostly with `-DEVICE`.
  init?(syncthing name: [UInt8]) {
    self.init(name, after: Array(".sync-conflict-".utf8), .syncthing, takesDevice: true)
  }

  /// `_conflict-YYYYMMDD-HHMMSS`.
  init?(oldCloud name: [UInt8]) {
    self.init(name, after: Array("_conflict-".utf8), .nextcloud, takesDevice: false)
  }

  private init?(
    _ name: [UInt8], after word: [UInt8], _ syncer: ConflictCopy.Syncer, takesDevice: Bool
  ) {
    guard let start = Self.last(word, in: name) else { return nil }
    var rest = name[(start + word.count)...]
    guard let day = Self.digits(8, &rest), Self.take("-", &rest), let time = Self.digits(6, &rest),
      let moment = ConflictCopy.Moment(day: day, time: time)
    else { return nil }
    var owner: String?
    if takesDevice, Self.take("-", &rest) {
      let device = rest.prefix(while: Self.isOfDevice)
      owner = String(decoding: device, as: UTF8.self)
      rest = rest.dropFirst(device.count)
    }
    guard Self.isExtension(rest) else { return nil }
    self.init(syncer, start, rest.startIndex, moment, owner)
  }

  /// ` (… YYYY-MM-DD …)`, in the words of Dropbox or Nextcloud.
  init?(parenthesis name: [UInt8]) {
    guard let start = Self.last(Array(" (".utf8), outsideOfNumberIn: name) else { return nil }
    let inside = name[(start + 2)...]
    guard let close = inside.lastIndex(of: UInt8(ascii: ")")),
      Self.isExtension(name[(close + 1)...])
    else { return nil }
    guard let words = ConflictWords(Array(name[(start + 2)..<close])) else { return nil }
    self.init(words.syncer, start, close + 1, words.moment, words.owner)
  }

  private init(
    _ syncer: ConflictCopy.Syncer, _ start: Int, _ end: Int, _ moment: ConflictCopy.Moment,
    _ savedBy: String?
  ) {
    self.syncer = syncer
    self.start = start
    self.end = end
    self.moment = moment
    self.savedBy = savedBy
  }

  // MARK: Bytes

  /// Whether a byte may stand in the name of a device: no dash, no dot.
  static func isOfDevice(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Whether nothing follows a mark but the last extension.
  ///
  /// Whoever adds another one to the name of a conflict copy, as for a backup, has made a file of
  /// his own.
  private static func isExtension(_ rest: ArraySlice<UInt8>) -> Bool {
    rest.isEmpty || rest.first == UInt8(ascii: ".") && !rest.dropFirst().contains(UInt8(ascii: "."))
  }

  private static func last(_ word: [UInt8], in name: [UInt8]) -> Int? {
    guard name.count >= word.count else { return nil }
    return (0...(name.count - word.count)).last { name[$0...].starts(with: word) }
  }

  /// The last opening parenthesis that is not the one of a number inside, as in `(… (1))`.
  private static func last(_ word: [UInt8], outsideOfNumberIn name: [UInt8]) -> Int? {
    guard let last = last(word, in: name) else { return nil }
    let inside = name[(last + word.count)...]
    let number = inside.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let isNumber = !number.isEmpty && inside.dropFirst(number.count).starts(with: "))".utf8)
    return isNumber ? Self.last(word, in: Array(name[..<last])) : last
  }

  private static func digits(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let digits = rest.prefix(count)
    guard digits.count == count,
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    rest = rest.dropFirst(count)
    return digits
  }

  private static func take(_ byte: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.first == UInt8(ascii: byte) else { return false }
    rest = rest.dropFirst()
    return true
  }
}

extension ConflictCopy.Moment {
  /// From digits: YYYYMMDD and, where there is a time, HHMMSS; nil for what no calendar has.
  init?(day: some Sequence<UInt8>, time: some Sequence<UInt8>) {
    let day = Array(day).map { Int($0) - 48 }
    let time = Array(time).map { Int($0) - 48 }
    guard day.count == 8, time.isEmpty || time.count == 6 else { return nil }
    func number(_ digits: ArraySlice<Int>) -> Int { digits.reduce(0) { $0 * 10 + $1 } }
    year = number(day[..<4])
    month = number(day[4..<6])
    self.day = number(day[6...])
    self.time = time.isEmpty ? [] : [0, 2, 4].map { number(time[$0..<($0 + 2)]) }
    // 60 is a leap second.
    let limits = zip(self.time, [23, 59, 60])
    guard (1...12).contains(month), (1...31).contains(self.day), limits.allSatisfy({ $0 <= $1 })
    else { return nil }
  }

  /// A moment; nil for what no calendar has.
  package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
    guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
      (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
    time = [hour, minute, second]
  }
}
