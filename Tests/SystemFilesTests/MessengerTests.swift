import SystemFiles
import Testing

/// What a file system that does not answer does to a process differs: FUSE lets it die as soon as
/// it is killed, NFS not before there is an answer.
@Suite("A messenger") struct MessengerTests {
  @Test("that ends for being killed has not come back, however soon it ends")
  func killed() throws {
    for _ in 0..<200 {
      var messenger = try #require(Messenger(["/bin/sleep", "60"]))
      let first = messenger.outcome(within: 0)
      #expect(first != .cameBack)
      guard first == .waits else { continue }
      var later = messenger.outcome(within: 10)
      while later == .waits { later = messenger.outcome(within: 10) }
      #expect(later == .wasKilled)
    }
  }

  @Test("that has made its call has come back, whatever it found")
  func cameBack() throws {
    for path in ["/dev/null", "/nonexistent/file"] {
      var messenger = try #require(Messenger(["/bin/cat", "--", path]))
      #expect(messenger.outcome(within: 30) == .cameBack)
    }
  }

  @Test("whose program is not there is none")
  func absent() {
    for name in ["/nonexistent/program", "nonexistent-program"] {
      #expect(Messenger([name]) == nil)
    }
  }

  @Test("is looked for where programs are if its program is named without a place")
  func named() throws {
    var messenger = try #require(Messenger(["cat", "--", "/dev/null"]))
    #expect(messenger.outcome(within: 30) == .cameBack)
  }
}
