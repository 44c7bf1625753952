import CanonicalJSON
import Foundation
import Testing

@Suite("file, beside others who use a file") struct FileWaitingTests {
  private static let copy = "report.sync-conflict-20260131-101500-ABCDEFG.txt"
  let machine: Machine
  let file: String

  init() throws {
    machine = try Machine()
    let documents = machine.folder.appending(path: "Documents")
    try Machine.makeDirectory(documents)
    for name in ["report.txt", Self.copy] {
      try Data(name.utf8).write(to: documents.appending(path: name))
    }
    file = documents.appending(path: "report.txt").path
  }

  /// A program that goes on until its input ends.
  private final class Other {
    let process: Process
    private let input = Pipe()
    private let output = Pipe()

    /// - parameter greeting: what it says once it is there.
    init(_ process: Process, greeting: String) throws {
      self.process = process
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      try #require(said == greeting + "\n")
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    func finish() throws {
      try input.fileHandleForWriting.close()
      process.waitUntilExit()
    }
  }

  /// A program (Tests/CoordinationPeer) that has the file open and does not answer.
  private func mute() throws -> Other {
    let peer = Process()
    peer.executableURL = Command.binary.deletingLastPathComponent()
      .appending(path: "CoordinationPeer")
    peer.arguments = ["present", machine.state.path, file, "mute"]
    peer.environment = machine.bareEnvironment
    return try Other(peer, greeting: "ready")
  }

  private func expectNamed(_ other: Other, in run: CommandRun) {
    #expect(run.status == 0)
    let id = other.process.processIdentifier
    #expect(
      run.errors.hasPrefix("feedsync: warning: \(file): process \(id) (CoordinationPeer) has"))
    #expect(run.errors.contains("did not answer within"))
    #expect(run.errors.split(separator: "\n").count == 1, "it is named once")
  }

  @Test("names who has the file open and does not answer, and settles it all the same")
  func lapses() throws {
    let other = try mute()
    let run = try machine.feedsync("file", "resolve", "report.txt", "--keep", "1")
    expectNamed(other, in: run)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == Self.copy)
  }

  @Test("names who does not answer before a version is discarded")
  func lapsesDiscarding() throws {
    let other = try mute()
    let run = try machine.feedsync(
      "file", "discard", "report.txt", Self.copy, "--format", "json")
    expectNamed(other, in: run)
    #expect(run.output == "{\"discarded\":1,\"kept\":0}\n")
  }

  /// A program that reads the file until its input ends.
  private func reader() throws -> Other {
    try Other(
      Command.process(
        ["coordinate", "read", file, "--", "sh", "-c", "echo held; cat"],
        environment: machine.environment), greeting: "held")
  }

  /// Begins to settle the conflict, and returns once it waits, with what it has said.
  private func resolving(_ version: String) throws -> (Process, said: String, errors: Pipe) {
    let process = Command.process(
      ["file", "resolve", "report.txt", "--keep", version, "--verbose"],
      environment: machine.environment)
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let said = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
    return (process, said, errors)
  }

  @Test("does not replace what has come since it began")
  func unseen() throws {
    let holder = try reader()
    let (process, _, errors) = try resolving(Self.copy)
    // As a syncer does, which asks nobody.
    try Data("unseen".utf8).write(to: URL(filePath: file))
    try holder.finish()
    process.waitUntilExit()
    #expect(process.terminationStatus == 75)
    let rest = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
    #expect(rest.contains("written it meanwhile"))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "unseen")
  }

  @Test("says with --verbose for whom it waits")
  func waits() throws {
    let holder = try reader()
    let (process, said, errors) = try resolving("current")
    defer { _ = errors }
    let id = holder.process.processIdentifier
    #expect(said == "feedsync: waiting: process \(id) (feedsync) reads \(file)\n")
    try holder.finish()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
