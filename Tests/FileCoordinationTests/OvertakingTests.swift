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
}
