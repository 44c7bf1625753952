import Foundation
import Testing

extension SourceTree {
  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}

/// Lengths and words, for sources and tests alike.
@Suite struct FormTests {
  private static let fileLines = 400
  private static let functionLines = 70
  private static let columns = 100

  private let files: [SourceFile]

  init() throws {
    files = try SourceTree.files(under: "Sources") + SourceTree.files(under: "Tests")
  }

  @Test func filesAndFunctionsAndLinesStayShort() {
    for file in files {
      #expect(file.lines.count <= Self.fileLines, "\(file) is too long")
      for function in file.functions {
        #expect(function.length <= Self.functionLines, "\(file): \(function.name)")
      }
      for (index, line) in file.lines.enumerated() {
        #expect(line.count <= Self.columns, "\(file):\(index + 1) is too wide")
      }
    }
  }

  @Test func theMedianFileHoldsOneIdea() {
    let lengths = files.filter { $0.path.hasPrefix("Sources") }.map(\.lines.count).sorted()
    let median = lengths[lengths.count / 2]
    #expect((60...220).contains(median), "the median file has \(median) lines")
  }

  @Test func noFileUsesWhatIsBanned() {
    // Put together here, so that this file does not find itself.
    let banned = [
      "try" + "!", "as" + "!", "fatal" + "Error(", "TO" + "DO", "FIX" + "ME", "X" + "XX",
      "nonisolated" + "(unsafe)", "not " + "implemented",
      // Of another library of tests than tools/test runs.
      "import XC" + "Test",
    ]
    for file in files {
      for (index, line) in file.lines.enumerated() {
        for word in banned where line.contains(word) {
          Issue.record("\(file):\(index + 1) has \(word)")
        }
      }
    }
  }

  /// GRDB's subscripts end the process over a column that holds something else.
  @Test func theStoreReadsColumnsByWhatThrows() {
    for file in files where file.path.hasPrefix("Sources/DocumentStorage") {
      for (index, line) in file.lines.enumerated() {
        for word in ["row[", "row?["] where line.contains(word) {
          Issue.record("\(file):\(index + 1) has \(word)")
        }
      }
    }
  }

  @Test func everyUncheckedSendableIsProvedBesideIt() {
    let word = "@unchecked" + " Sendable"
    for file in files {
      for (index, line) in file.lines.enumerated()
      where line.contains(word) && !line.contains("//") {
        let before = index > 0 ? file.lines[index - 1] : ""
        #expect(before.contains("//"), "\(file):\(index + 1) has no proof")
      }
    }
  }

  @Test func theTopLevelHoldsOnlyWhatWasAgreed() throws {
    let agreed: Set<String> = [
      "Package.swift", "Package.resolved", "Sources", "Tests", "fixtures", "tools", "README.md",
    ]
    let names = try FileManager.default.contentsOfDirectory(atPath: SourceTree.root.path)
    for name in names where !name.hasPrefix(".") {
      #expect(agreed.contains(name), "\(name) at the top level")
    }
  }
}
