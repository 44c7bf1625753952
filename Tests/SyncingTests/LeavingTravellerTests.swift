import Syncing
import Testing

/// protocol.md 24.
@Suite("Who comes back with an edit of a document that was forgotten, and leaves for good")
struct LeavingTravellerTests {
  /// Leaving is refused since something of Ann's was not taken out.
  private static func expectRefused(_ scene: TravellerScene, _ device: Device) throws {
    let error = #expect(throws: LeaveError.self) {
      try scene.house.directory.leave(device, .deletingState, process: "1")
    }
    guard case .dropsNotHeeded(scene.away, let devices) = error, devices.first == "ann" else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  private static func expectToLeave(_ scene: TravellerScene, seen: String?) throws {
    let device = try scene.house.open().device
    let done = try scene.house.directory.leave(device, .deletingState, process: "1")
    #expect(done.state == nil)
    try scene.bring()
    try scene.expect(seen, of: "late")
  }

  @Test("leaves it whole to everybody, without having imported anything")
  func whole() throws {
    let scene = try TravellerScene()
    let seen = try scene.edit("late")
    try scene.send()
    try Self.expectToLeave(scene, seen: seen)
  }

  @Test("keeps the database as long as something is missing that who forgot it had")
  func waiting() throws {
    let scene = try TravellerScene()
    let seen = try scene.edit("late")
    try scene.send(of: [scene.ann])
    try Self.expectRefused(scene, scene.house.open().device)
    try scene.send()
    try Self.expectToLeave(scene, seen: seen)
  }

  @Test(
    "keeps the database while the file cannot be read that says what was forgotten",
    arguments: [BadFile.cut, .newer])
  func unread(form: BadFile) throws {
    let scene = try TravellerScene()
    let seen = try scene.edit("late")
    #expect(try scene.sendReduced(as: form) > 0)
    try Self.expectRefused(scene, scene.house.open().device)
    try scene.send()
    try Self.expectToLeave(scene, seen: seen)
  }

  @Test("keeps the database where it takes nothing in any more, having left before")
  func leftBefore() throws {
    let scene = try TravellerScene()
    let seen = try scene.edit("late")
    let directory = scene.house.directory
    _ = try directory.leave(scene.house.open().device, .published, process: "1")
    try scene.send()
    try Self.expectRefused(
      scene, directory.open(container: scene.away, toLeave: .deletingState))
    try scene.house.initialise(scene.away)
    try Self.expectToLeave(scene, seen: seen)
  }
}
