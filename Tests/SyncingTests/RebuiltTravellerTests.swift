import Syncing
import Testing

/// protocol.md 24 and 25.
@Suite("Who comes back with an edit of a document that was forgotten, and rebuilds")
struct RebuiltTravellerTests {
  @Test(
    "has it everywhere, whole, also where others had forgotten something before that",
    arguments: [false, true])
  func whole(hasHeededBefore: Bool) throws {
    let scene = try TravellerScene()
    if hasHeededBefore {
      try scene.write("gone")
      try scene.forget("gone")
    }
    let seen = try scene.edit("late")
    try scene.send()
    let recovery = try scene.house.directory.rebuild(
      container: scene.away, fallbackName: "dan", process: "1")
    #expect(recovery.imported?.revived == 1)
    #expect(try scene.house.open().body("late") == seen)
    try scene.bring()
    try scene.expect(seen, of: "late")
  }
}
