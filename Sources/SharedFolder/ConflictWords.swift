/// What Dropbox and Nextcloud write between the parentheses of a conflict copy's name.
struct ConflictWords {
  let syncer: ConflictCopy.Syncer
  let moment: ConflictCopy.Moment
  let owner: String?

  /// What stands before the owner, or after it, in the languages of Dropbox, as found in names that
  /// people have; in lower case.
  private static let before = [
    "copie en conflit de ", "copia en conflicto de ", "copia in conflitto di ",
    "cópia em conflito de ", "in konflikt stehende kopie von ", "conflicterende kopie van ",
  ]
  private static let after = [
    "'s conflicted copy", "\u{2019}s conflicted copy", "s in konflikt stehende kopie",
    " の競合コピー", "の競合コピー",
  ]
  private static let plain = "conflicted copy"

  init?(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    var words = text.split(separator: " ", omittingEmptySubsequences: false)
    // The second copy of a day is numbered.
    if words.count > 1, let last = words.last, Self.isNumber(last) { words.removeLast() }
    guard let (moment, hasTime) = Self.takeMoment(&words) else { return nil }
    let rest = words.joined(separator: " ")
    let lower = rest.lowercased()
    self.moment = moment
    if hasTime {
      guard lower == Self.plain || lower.hasPrefix(Self.plain + " ") else { return nil }
      syncer = .nextcloud
      owner = String(rest.dropFirst(Self.plain.count + 1))
      return
    }
    syncer = .dropbox
    // Lower case may have another length, so the owner is cut from the text itself.
    guard let owner = lower == Self.plain ? "" : Self.owner(in: rest, lower) else { return nil }
    self.owner = owner
  }

  private static func owner(in text: String, _ lower: String) -> String? {
    guard lower.count == text.count else { return nil }
    if let start = before.first(where: { lower.hasPrefix($0) }) {
      return String(text.dropFirst(start.count))
    }
    return after.first { lower.hasSuffix($0) && lower.count > $0.count }
      .map { String(text.dropLast($0.count)) }
  }

  /// `(1)`.
  private static func isNumber(_ word: Substring) -> Bool {
    guard word.hasPrefix("("), word.hasSuffix(")"), word.utf8.count > 2 else { return false }
    return word.utf8.dropFirst().dropLast()
      .allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  /// `YYYY-MM-DD`, or that and `HHMMSS`, at the end.
  private static func takeMoment(
    _ words: inout [Substring]
  ) -> (ConflictCopy.Moment, hasTime: Bool)? {
    guard let last = words.popLast() else { return nil }
    if let moment = moment(last, time: "") { return (moment, false) }
    guard let day = words.popLast(), last.utf8.count == 6, let moment = moment(day, time: last)
    else { return nil }
    return (moment, true)
  }

  private static func moment(_ day: Substring, time: Substring) -> ConflictCopy.Moment? {
    let parts = day.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.map(\.count) == [4, 2, 2] else { return nil }
    let digits = parts.flatMap { Array($0) } + Array(time.utf8)
    guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    return ConflictCopy.Moment(day: digits.prefix(8), time: digits.dropFirst(8))
  }
}
