import CanonicalJSON
import Foundation
import Testing

@Suite("feedsync watch looks after the device's files", .timeLimit(.minutes(3)))
struct WatchUpkeepCommandTests {
  private static let count = 33

  /// Ann has written so many small files.
  private static func machine() throws -> Machine {
    let machine = try Machine()
    // A disk may take as long for one file as the usual budget lets all of them.
    try machine.feedsync("settings", "set", "budget", "1h")
    for number in 0..<count { try machine.feedsync("put", "n", "x", #"{"n":\#(number)}"#) }
    return machine
  }

  /// Reads standard error until it has some text, or ends.
  private func read(_ pipe: Pipe, until text: String) -> String {
    var read = Data()
    while !String(decoding: read, as: UTF8.self).contains(text) {
      let more = pipe.fileHandleForReading.availableData
      guard !more.isEmpty else { break }
      read.append(more)
    }
    return String(decoding: read, as: UTF8.self)
  }

  private func start(_ machine: Machine) throws -> (watch: Process, errors: Pipe) {
    let watch = Command.process(["watch", "--verbose"], environment: machine.environment)
    let errors = Pipe()
    watch.standardOutput = FileHandle.nullDevice
    watch.standardError = errors
    try watch.run()
    return (watch, errors)
  }

  @Test("as import does, says so with --verbose alone, and goes on watching")
  func joins() throws {
    let machine = try Self.machine()
    let (watch, errors) = try start(machine)
    let said = read(errors, until: "stay for now\n")
    #expect(said.contains("joined \(Self.count) files into 1; removed 0"), "\(said)")
    #expect(try machine.logs().count == Self.count + 1)
    // What is done by one process is not done again by another.
    #expect(try machine.feedsync("import").status == 0)
    #expect(watch.isRunning)
    watch.terminate()
    watch.waitUntilExit()
    #expect(watch.terminationStatus == 0)
  }

  @Test("and says where that fails, and goes on watching")
  func fails() throws {
    let machine = try Self.machine()
    try machine.feedsync("settings", "set", "grace", "1d")
    let names = try FileManager.default.contentsOfDirectory(atPath: machine.state.path)
    let name = try #require(names.first { $0.hasSuffix(".settings.json") })
    try Data("[]".utf8).write(to: machine.state.appending(path: name))
    let (watch, errors) = try start(machine)
    let said = read(errors, until: "hint")
    #expect(said.contains("\(name): the settings cannot be read"), "\(said)")
    #expect(watch.isRunning)
    watch.terminate()
    watch.waitUntilExit()
    #expect(watch.terminationStatus == 0)
  }
}
