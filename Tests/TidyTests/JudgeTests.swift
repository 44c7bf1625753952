import Testing

/// What judges the simulator's worlds shares no code with the merging that it judges.
@Suite struct JudgeTests {
  private static let judge = "Sources/SyncSimulator/Checks"

  /// Names of what was written, and what reads a payload; `tools/check-second-reader` sees that
  /// another program reads the same.
  private static let values: Set<String> = [
    "Context", "CounterAmount", "CounterStart", "DocumentKey", "Dot", "Leaf", "Operation", "Stamp",
    "StreamID", "Transaction",
  ]
  /// What a device answers, which is what is judged.
  private static let answers: Set<String> = ["DocumentConflict", "DocumentState", "Frontier"]

  @Test func whetherAPromiseIsKeptIsDecidedWithoutReplication() throws {
    let types = try Self.typesOfReplication()
    #expect(types.count > 30)
    let files = try SourceTree.files(under: Self.judge)
    #expect(files.count > 10)
    for file in files {
      let isAboutDevices = file.path.contains("/World+")
      let allowed = isAboutDevices ? Self.values.union(Self.answers) : Self.values
      let used = Self.words(of: file).intersection(types).subtracting(allowed)
      #expect(used.isEmpty, "\(file) uses \(used.sorted()) of Replication")
    }
  }

  @Test func noRuleOfMergingIsAskedByTheJudge() throws {
    let rules: Set<String> = [
      "covers", "hasSeenInSameTransaction", "isAfloat", "isAtOrBelow", "isAtOrBefore",
      "isClosed", "isCovered", "isGivenUp", "isMissing", "isProvisional", "mayClaim", "relation",
      "visibility",
    ]
    for file in try SourceTree.files(under: Self.judge) {
      let used = Self.words(of: file).intersection(rules)
      #expect(used.isEmpty, "\(file) asks \(used.sorted())")
    }
  }

  private static func typesOfReplication() throws -> Set<String> {
    let kinds: Set<String> = ["struct", "enum", "class", "protocol"]
    var types: Set<String> = []
    for file in try SourceTree.files(under: "Sources/Replication") {
      for line in file.lines where line.first?.isLetter == true {
        let words = line.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        guard let kind = words.firstIndex(where: { kinds.contains($0) }), kind + 1 < words.count
        else { continue }
        types.insert(words[kind + 1])
      }
    }
    return types
  }

  private static func words(of file: SourceFile) -> Set<String> {
    let code = file.lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }
    return Set(code.flatMap { $0.split { !$0.isLetter && !$0.isNumber }.map(String.init) })
  }
}
