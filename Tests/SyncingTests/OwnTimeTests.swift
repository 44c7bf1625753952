import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemPackage
import Testing

/// Ann wrote two documents over and over, found out what is dead of that, and knows of Bob, who has
/// not heard of the last edits.
@Suite("Time passes for compaction as far as the device was there")
struct OwnTimeTests {
  private static let day: Int64 = 86_400_000
  private let world: World
  private let ann: Peer
  private let bob: Peer

  init() throws {
    world = try World()
    ann = try world.loner("ann")
    bob = try world.loner("bob")
    try write(1...4)
    try world.meet(ann, with: bob)
    try write(5...20)
    _ = try look()
    try live(days: 8)
  }

  private func write(_ numbers: ClosedRange<Int>) throws {
    try ann.publish(numbers) { "n\($0 % 2)" }
  }

  private func look(attention: Int64 = Self.day * 3 / 2) throws -> CompactionReport {
    try Upkeep(device: ann.device, limits: .small(fanOut: 4, attention: attention)).run()
  }

  private func live(days: Int) throws {
    for _ in 0..<days {
      world.advance(milliseconds: Self.day)
      #expect(try look().dropped == 0)
    }
  }

  @Test("so who has not said what he has is waited for by one that was off for longer")
  func off() throws {
    try live(days: 8)
    world.advance(milliseconds: 95 * Self.day)
    #expect(try look().dropped == 0)
    // And not for ever.
    var days = 0
    while try look().dropped == 0, days < 100 {
      world.advance(milliseconds: Self.day)
      days += 1
    }
    #expect((70...90).contains(days))
  }

  @Test("and is counted whole by one that looks each day")
  func daily() throws {
    try world.meet(ann, with: bob)
    // It was found a day ago.
    try live(days: 5)
    world.advance(milliseconds: Self.day)
    #expect(try look().dropped == 18)
  }

  @Test("and a week in which it was off is no grace")
  func grace() throws {
    try world.meet(ann, with: bob)
    _ = try look()
    world.advance(milliseconds: CompactionLimits.week)
    #expect(try look().dropped == 0)
    // A day before, a day and a half of the week, and these.
    try live(days: 4)
    world.advance(milliseconds: Self.day)
    #expect(try look().dropped == 18)
  }

  @Test("and a clock that was years behind, and is put right, makes none of it pass at once")
  func clockBehind() throws {
    try live(days: 2)
    world.advance(milliseconds: -3000 * Self.day)
    #expect(try look().dropped == 0)
    world.advance(milliseconds: 3000 * Self.day)
    #expect(try look().dropped == 0)
  }

  @Test("nor one that is years ahead for a while")
  func clockAhead() throws {
    try live(days: 2)
    world.advance(milliseconds: 3000 * Self.day)
    #expect(try look().dropped == 0)
    world.advance(milliseconds: -3000 * Self.day)
    #expect(try look().dropped == 0)
  }

  @Test("nor where it was there, and its folder was not")
  func folderAway() throws {
    try live(days: 8)
    let marker = ann.folder.appending(Marker.name)
    try world.remove(marker)
    for _ in 0..<95 {
      world.advance(milliseconds: Self.day)
      #expect(throws: ContainerError.self) { try look() }
    }
    try world.place(world.marker.bytes, at: marker)
    #expect(try look().dropped == 0)
  }

  @Test("and who looks only once in a month is there all the time")
  func rarely() throws {
    #expect(try Self.attention(of: 30) > 30 * Self.day)
  }

  @Test("and no one jump of the clock is a grace to who looks rarely", arguments: [7, 30])
  func rareGrace(days: Int64) throws {
    try world.meet(ann, with: bob)
    let attention = try Self.attention(of: days)
    world.advance(milliseconds: 365 * Self.day)
    #expect(try look(attention: attention).dropped == 0)
  }

  @Test("nor is it all of any time, be it a year or the way out of 1970", arguments: [7, 30])
  func rareJump(days: Int64) throws {
    let (database, now) = (ann.device.database, ann.device.ambient.now)
    let attention = try Self.attention(of: days)
    func start(of age: Int64) throws -> Int64 {
      try database.time(age * Self.day, before: now(), countingAtMost: attention)
    }
    for _ in 0..<10 {
      world.advance(milliseconds: days * Self.day)
      try database.noteLook(now: now())
    }
    var last = now()
    world.advance(milliseconds: 365 * Self.day)
    for age: Int64 in [1, 7, 30, 90] { #expect(try start(of: age) < last) }
    // The clock has no battery: it begins with 1970, until it hears of the time.
    let lost = now()
    world.advance(milliseconds: Self.day - lost)
    try database.noteLook(now: now())
    last = now()
    world.advance(milliseconds: lost)
    for age: Int64 in [1, 7, 30, 90] { #expect(try start(of: age) < last) }
  }

  @Test("but a time that is shorter than what is noted of looks is counted by the clock")
  func short() throws {
    let (database, now) = (ann.device.database, ann.device.ambient.now)
    let attention = try Self.attention(of: 1)
    world.advance(milliseconds: 60_000)
    #expect(
      try database.time(60_000, before: now(), countingAtMost: attention) == now() - 60_000)
  }

  /// What counts at most of the time between two looks where one is made each so many days.
  private static func attention(of days: Int64) throws -> Int64 {
    var settings = UpkeepSettings()
    try settings.set(.interval, to: days * day)
    return settings.limits.attention
  }
}
