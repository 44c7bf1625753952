import Foundation
import Testing

/// The tutorial's program keeps processes in step, on one device and between devices.
@Suite(.timeLimit(.minutes(5))) struct InStepTests {
  let place: Place

  init() throws { place = try Place() }

  private func start(_ device: String) throws -> RunningProgram {
    try RunningProgram("InStepExample", place.folder.path, place.state(device))
  }

  @Test(arguments: ["ann", "ben"])
  func twoProcessesShowTheSameNotes(_ second: String) throws {
    let programs = [try start("ann"), try start(second)]
    // The first line says that a program follows the store.
    for program in programs { try program.line { _ in true } }
    for round in 1...5 {
      for (index, program) in programs.enumerated() {
        try program.type("note \(round) of \(index)")
      }
    }
    let shown = try programs.map { program in
      try program.line { $0.components(separatedBy: " · ").count == 10 }
    }
    #expect(Set(shown).count == 1)
    for round in 1...5 {
      for index in 0...1 { #expect(shown[0].contains("note \(round) of \(index)")) }
    }
  }

  @Test func theProgramOfTheTutorialHasAtMostFortyLines() throws {
    let text = try String(contentsOf: Self.source, encoding: .utf8)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 41)
  }

  @Test func theTutorialShowsTheProgramAsItIs() throws {
    let text = try String(contentsOf: Self.source, encoding: .utf8)
    let page = try String(contentsOf: Self.package.appending(path: Self.tutorial), encoding: .utf8)
    #expect(page.contains("```swift\n" + text + "```"))
  }

  private static let tutorial = "Sources/FeedSync/FeedSync.docc/Tutorial.md"
  private static let source = package.appending(path: "Sources/InStepExample/InStep.swift")
  private static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
