import Syncing
import Testing

/// Limits bind those who write, not what comes together (protocol.md 18).
@Suite("Two members that are too large for one body") struct LargeMergeTests {
  @Test("are both there on all devices where each was written without knowledge of the other")
  func merged() throws {
    let world = try World()
    let (ann, bob) = (try world.loner("ann"), try world.loner("bob"))
    try ann.put("doc", "{}")
    try world.send(from: ann, to: bob)
    let text = String(repeating: "x", count: 800 << 10)
    try ann.put("doc", #"{"a":"\#(text)"}"#)
    try bob.put("doc", #"{"b":"\#(text)"}"#)
    try world.send(from: ann, to: bob)
    try world.send(from: bob, to: ann)
    let whole = #"{"a":"\#(text)","b":"\#(text)"}"#
    // More than anybody may write.
    #expect(whole.utf8.count > 1 << 20)
    for peer in [ann, bob] {
      let isWhole = try peer.body("doc") == whole
      #expect(isWhole)
    }
    let newcomer = try world.newcomersDump(of: ann.folder) == ann.dump()
    #expect(newcomer)
  }
}
