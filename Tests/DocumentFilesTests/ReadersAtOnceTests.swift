import DocumentFiles
import FileCoordination
import Foundation
import Synchronization
import SystemPackage
import Testing

/// Several who want to read an edited document at one moment: D3.
@Suite struct ReadersAtOnceTests {
  /// Holds up whoever is about to write the document until both readers have asked for it.
  private final class Gate: Sendable {
    private let domain: CoordinationDomain
    private let isClosed = Mutex(false)

    init(_ domain: CoordinationDomain) { self.domain = domain }

    func close() { isClosed.withLock { $0 = true } }

    func pass() throws {
      let limit = ContinuousClock.now + .seconds(3)
      while isClosed.withLock({ $0 }), ContinuousClock.now < limit {
        let asking = try domain.report().claims.filter { $0.state == .asking }
        if asking.count == 2 { isClosed.withLock { $0 = false } }
      }
    }
  }

  @Test func d3_allOfThemGetWhatIsEdited() async throws {
    let desk = try Desk()
    let (readers, gate) = ([try desk.domain(), try desk.domain()], Gate(try desk.domain()))
    var folder = try desk.folder()
    folder.absence = {
      try gate.pass()
      return nil
    }
    try desk.write("a.txt", "old")
    let (path, document) = (
      desk.path("a.txt"), try await DocumentFile<String>.open("a.txt", in: folder)
    )
    for round in 1...10 {
      try await document.edit { $0 = "edited \(round)" }
      gate.close()
      let texts = try await withThrowingTaskGroup(of: String.self) { group in
        for reader in readers {
          group.addTask {
            try await FileCoordinator(reader).coordinate([.reading(path)]) { paths in
              try String(contentsOfFile: paths[0].string, encoding: .utf8)
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(texts == ["edited \(round)", "edited \(round)"])
    }
    #expect(await document.state == .normal)
    try await document.close()
  }
}
