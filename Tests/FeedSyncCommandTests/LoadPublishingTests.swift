import CanonicalJSON
import Foundation
import TestSupport
import Testing

@Suite("A load whose input pauses", .timeLimit(.minutes(1))) struct LoadPublishingTests {
  @Test("publishes what it has written, without waiting for more")
  func publishes() throws {
    let machine = try Machine()
    let load = try FedLoad(machine)
    try load.write(
      (1...3).map { #"{"body":{"n":\#($0)},"collection":"n","id":"\#($0)"}"# })
    try waitUntil { try machine.feedsync("get", "n", "2").status == 0 }
    func unpublished() throws -> JSON? {
      try machine.feedsync("status", "--format", "json").json().object?["unpublished"]
    }
    try waitUntil { try unpublished() == .integer(0) }
    #expect(try machine.feedsync("get", "n", "3").status == 1)
    kill(load.process.processIdentifier, SIGTERM)
    #expect(load.signalAtEnd() == SIGTERM)
  }

  @Test("is interrupted as any other, whatever was read ahead of it")
  func readAhead() throws {
    let machine = try Machine()
    let load = try FedLoad(machine)
    let lines = (1...4_000).map {
      #"{"body":{"n":\#($0)},"collection":"n","id":"\#($0)"}"#
    }
    // More than the pipe holds, and all of it is read before it is written.
    try load.write(lines)
    kill(load.process.processIdentifier, SIGTERM)
    #expect(load.signalAtEnd() == SIGTERM)
    #expect(try load.errors.contains("interrupted"))
  }

  @Test("writes what comes before a blank line at once")
  func blankLine() throws {
    let machine = try Machine()
    let load = try FedLoad(machine)
    try load.write(
      (1...2).map { #"{"body":{"n":\#($0)},"collection":"n","id":"\#($0)"}"# } + [""])
    try waitUntil { try machine.feedsync("get", "n", "2").status == 0 }
    kill(load.process.processIdentifier, SIGTERM)
    #expect(load.signalAtEnd() == SIGTERM)
  }
}
