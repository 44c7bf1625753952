import DocumentStorage
import Replication
import Syncing
import Testing

/// Nothing is refused for it, and whose it is is told (lesson 13: wall clocks lie).
@Suite("A clock that is off") struct SkewedClockTests {
  private static let day: Int64 = 86_400_000

  /// Writes as a device whose clock is ahead by so much, and carries it to the others' folders.
  private static func write(
    _ id: String, as author: Peer, ahead: Int64, in world: World, to readers: Peer...
  ) throws {
    world.advance(milliseconds: ahead)
    try author.importAll()
    try author.put(id, "{}")
    try author.publish()
    world.advance(milliseconds: -ahead)
    for reader in readers where reader.folder != author.folder {
      for file in try world.logs(in: author.folder) { try world.deliver(file, to: reader.folder) }
      try reader.importAll()
    }
  }

  // Lesson 13.
  @Test("is named, a day or a year ahead, and what it writes is taken", arguments: [1, 365])
  func ahead(days: Int64) throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let bob = try world.peer("bob", in: try world.folder("bob"))
    let eve = try world.peer("eve", in: try world.folder("eve"))
    let offset = days * Self.day
    try Self.write("e", as: eve, ahead: 0, in: world, to: ann)
    try Self.write("b", as: bob, ahead: offset, in: world, to: ann)
    world.advance(milliseconds: 3_600_000)
    try Self.write("b2", as: bob, ahead: offset, in: world, to: ann)
    let survey = try ann.device.clockSurvey()
    #expect(survey.own == nil)
    #expect(survey.devices.map(\.stream) == [bob.stream])
    #expect(survey.devices.map(\.skew.ahead) == [offset])
    #expect(survey.devices.first?.skew.isCertain == true)
    let now = world.ambient.now()
    #expect(survey.devices.first?.skew.since == now - 3_600_000)
    #expect(survey.devices.first?.skew.lastSeen == now)
    #expect(try ann.body("b") == "{}" && ann.body("b2") == "{}" && ann.body("e") == "{}")

    // Whoever has seen it goes on from its time, and is not blamed for that.
    try ann.put("a", "{}")
    try ann.publish()
    for file in try world.logs(in: ann.folder) { try world.deliver(file, to: eve.folder) }
    try eve.importAll()
    #expect(try eve.device.clockSurvey().devices.map(\.stream) == [bob.stream])
    #expect(try ann.device.clockSurvey().own == nil)
  }

  @Test("is named if it is behind, once that cannot be a delay any more")
  func behind() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let bob = try world.peer("bob", in: try world.folder("bob"))
    for number in 0..<3 {
      #expect(try ann.device.clockSurvey().devices.isEmpty)
      try Self.write("b\(number)", as: bob, ahead: -Self.day, in: world, to: ann)
      world.advance(milliseconds: 600_000)
    }
    let survey = try ann.device.clockSurvey()
    #expect(survey.devices.map(\.stream) == [bob.stream])
    #expect(survey.devices.map(\.skew.ahead) == [-Self.day])
    #expect(survey.devices.first?.skew.isCertain == false)
    #expect(try ann.dump() == bob.dump())
  }

  @Test("is this machine's if all others say so", arguments: [-day, day])
  func own(ahead: Int64) throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let bob = try world.peer("bob", in: try world.folder("bob"))
    let eve = try world.peer("eve", in: try world.folder("eve"))
    for number in 0..<3 {
      for author in [bob, eve] {
        try Self.write("\(author.stream)\(number)", as: author, ahead: -ahead, in: world, to: ann)
      }
      world.advance(milliseconds: 600_000)
    }
    let survey = try ann.device.clockSurvey()
    #expect(survey.devices.isEmpty)
    guard case .apart(let skew, let devices) = survey.own else {
      Issue.record("\(survey)")
      return
    }
    #expect(devices == 2)
    #expect(skew.ahead == ahead)
    #expect(skew.isCertain == (ahead < 0))
  }

  @Test("is this machine's if it goes back, and writing goes on behind what was written")
  func wentBack() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let bob = try world.peer("bob", in: try world.folder("bob"))
    try Self.write("x", as: ann, ahead: 0, in: world, to: bob)
    #expect(try ann.device.clockSurvey().own == nil)
    world.advance(milliseconds: -Self.day)
    #expect(try ann.device.clockSurvey().own == .wentBack(by: Self.day))
    try ann.put("x", #"{"n":2}"#)
    try ann.publish()
    for file in try world.logs(in: ann.folder) { try world.deliver(file, to: bob.folder) }
    try bob.importAll()
    #expect(try bob.body("x") == #"{"n":2}"#)
    #expect(try bob.dump() == ann.dump())
  }
}
