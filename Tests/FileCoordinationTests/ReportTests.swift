import FileCoordination
import SystemPackage
import Testing

/// A report of more than a message has room for.
@Suite struct ReportTests {
  @Test func itIsToldInAsManyMessagesAsItTakes() throws {
    let desk = ArbiterDesk()
    let long = String(repeating: "n", count: 4_000)
    for number in 0..<700 {
      _ = try desk.present(1, "/d/\(number % 2 == 0 ? long : "")\(number)")
    }
    desk.said = [:]
    desk.say(.status(number: 7), from: 2)
    var (numbers, paths): ([UInt64], Set<String>) = ([], [])
    for message in desk.said[2] ?? [] {
      let bytes = message.wireBytes
      #expect(bytes.count <= WireFormat.maximumBytes)
      #expect(try ArbiterMessage(wire: bytes) == message)
      guard case .status(let number, let report) = message else { continue }
      numbers.append(number)
      paths.formUnion(report.presenters.compactMap(\.path))
    }
    #expect(paths.count == 700)
    // Programs of earlier versions take the first of their number for all.
    #expect(numbers.count > 3 && numbers.filter { $0 == 7 }.count == 1 && numbers.last == 7)
  }

  @Test func whoAsksForItHasAllPresentersInTheirOrder() throws {
    let workshop = try Workshop()
    let (here, there) = (try workshop.domain(), try workshop.domain())
    let paths = try (0..<450).map { try workshop.file("\(1_000 + $0)") }
    let presenters = paths.map { FakePresenter($0) }
    for presenter in presenters { try here.addFilePresenter(presenter) }
    for domain in [here, there] {
      #expect(try domain.report().presenters.map(\.path) == paths.map(\.string))
    }
    for presenter in presenters { here.removeFilePresenter(presenter) }
    #expect(try there.report().presenters.isEmpty)
  }
}
