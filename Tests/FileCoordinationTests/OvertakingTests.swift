import FileCoordination
import Testing

/// Who may go past others in the queue, and begins as soon as that is so.
@Suite struct OvertakingTests {
  let desk = ArbiterDesk()

  @Test func c5_thoseWhoStandBeforeOneOfTheirPurposeBeginWithIt() throws {
    let presenter = try desk.present(1, "/f")
    let holder = try desk.write(4, "/h")
    _ = try desk.write(2, "/f")
    _ = try desk.claim(3, ("/f", .writes), ("/g", .writes))
    let sharer = try desk.claim(1, ("/g", .writes), purpose: "shared")
    let answer = try desk.claim(
      1, ("/f", .writes), ("/h", .writes), purpose: "shared", presenter: presenter)
    #expect(!desk.isGranted(sharer) && !desk.isGranted(answer))
    // The answer goes past those who wait for its asker, and so they wait for its purpose, too.
    desk.release(holder)
    #expect(desk.isGranted(answer) && desk.isGranted(sharer))
  }

  @Test func oneThatArrivesLateHasOthersWaitForItAtOnce() throws {
    let presenter = try desk.present(4, "/a")
    let made = desk.now
    desk.advance(by: .milliseconds(1))
    let holder = try desk.read(1, "/p")
    let asker = try desk.claim(2, ("/p", []), ("/a", .writes))
    let nested = try desk.claim(1, ("/a", .writes), parents: [holder])
    #expect(desk.questions(to: presenter, for: asker) != nil)
    #expect(desk.questions(to: presenter, for: nested) == nil)
    // It waits for the holder, and the asker for it: and so whatever the holder does goes past it.
    let late = ClaimRequest(
      key: desk.key(3), purpose: "late",
      items: [ClaimedItem(try ArbiterDesk.path("/p"), .writes)], since: made)
    desk.say(.claim(late, isHeld: false), from: 3)
    #expect(desk.questions(to: presenter, for: nested) == [.relinquishToWriter])
  }
}
