import FileCoordination
import Testing

/// What becomes of the name that an access moves its item to.
@Suite struct NewNameTests {
  let desk = ArbiterDesk()

  private func move(_ claim: CoordinationKey, _ old: String, to new: String) throws {
    desk.say(
      .moved(claim: claim, from: try ArbiterDesk.path(old), to: try ArbiterDesk.path(new)),
      from: claim.member)
  }

  @Test func c30_whatIsMovedAndChangedIsToldToBoth() throws {
    let (item, folder) = (try desk.present(1, "/d/a"), try desk.present(1, "/d"))
    let writer = try desk.write(2, "/d/a", .moves)
    desk.answer(item, to: writer)
    try move(writer, "/d/a", to: "/d/b")
    desk.release(writer, [ItemOutcome(existedBefore: true, existsAfter: false)])
    let (old, new) = (try ArbiterDesk.path("/d/a"), try ArbiterDesk.path("/d/b"))
    #expect(desk.notices(to: item) == [.didMove(to: new), .didChange, .reacquire(writer)])
    #expect(
      desk.notices(to: folder) == [
        .subitemDidMove(from: old, to: new), .subitemDidChange(old), .subitemDidChange(new),
      ])
  }

  @Test func c31_ofAnAccessThatTouchedNothingNothingIsTold() throws {
    let item = try desk.present(1, "/a")
    let writer = try desk.write(2, "/a", .moves)
    desk.answer(item, to: writer)
    try move(writer, "/a", to: "/b")
    desk.release(writer, [])
    #expect(
      desk.notices(to: item) == [.didMove(to: try ArbiterDesk.path("/b")), .reacquire(writer)])
  }

  @Test func c8_itIsClaimedForMovingIfOneOfTheItemsIs() throws {
    let mover = try desk.claim(
      1, ("/d", [.writes, .isDirectory]), ("/d", [.writes, .isDirectory, .moves]))
    try move(mover, "/d", to: "/e")
    let inside = try desk.write(2, "/e/x")
    #expect(!desk.isGranted(inside))
    desk.release(mover)
    #expect(desk.isGranted(inside))
  }

  @Test func c8_soItIsIfTheNewNameIsClaimedToo() throws {
    let presenter = try desk.present(4, "/e")
    let mover = try desk.claim(1, ("/d", [.writes, .isDirectory, .moves]), ("/e", .writes))
    desk.answer(presenter, to: mover)
    let inside = try desk.write(2, "/d/x")
    try move(mover, "/d", to: "/e")
    #expect(!desk.isGranted(inside))
    desk.release(
      mover,
      [
        ItemOutcome(existedBefore: true, existsAfter: false),
        ItemOutcome(existedBefore: false, existsAfter: true),
      ])
    #expect(desk.granted(inside) == ["/e/x"])
    let changes = desk.notices(to: presenter).filter { $0 == .didChange }
    #expect(changes.count == 1, "once, though it is claimed twice")
  }

  @Test(arguments: [[], ClaimedItem.Options.writes])
  func c24_c25_whoPresentsWhatIsMovedIsAskedByThoseWhoClaimThatName(
    kind: ClaimedItem.Options
  ) throws {
    let (moved, other) = (try desk.present(1, "/a"), try desk.present(1, "/b"))
    let mover = try desk.write(2, "/a", .moves)
    desk.answer(moved, to: mover)
    let asker = try desk.claim(3, ("/b", kind))
    #expect(desk.questions(to: other, for: asker) != nil)
    try move(mover, "/a", to: "/b")
    #expect(desk.questions(to: moved, for: asker) == desk.questions(to: other, for: asker))
    desk.release(mover)
    desk.answer(other, to: asker)
    #expect(!desk.isGranted(asker))
    desk.answer(moved, to: asker)
    #expect(desk.isGranted(asker))
  }
}
