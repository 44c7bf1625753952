import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import TestSupport
import Testing

@Suite("Several containers in one state") struct SeveralContainersTests {
  @Test("are told apart by their folders; the one initialised last is the default")
  func sideBySide() throws {
    let house = try Household()
    let (one, two) = (try house.makeFolder("one"), try house.makeFolder("two"))
    let first = try house.initialise(one, name: "first").device
    let second = try house.initialise(two, name: "second").device
    #expect(try house.open().stream == second.record.stream)
    #expect(try house.open(one).stream == first.record.stream)
    try house.open(one).put("x", #"{"in":1}"#)
    try house.open(two).put("x", #"{"in":2}"#)
    #expect(try house.open(one).body("x") == #"{"in":1}"#)
    #expect(try house.open(two).body("x") == #"{"in":2}"#)
    try house.initialise(one)
    #expect(try house.open().stream == first.record.stream)
    #expect(try house.open().device.record.name == "first")
  }

  @Test("that stand at one path by turns are told apart by the default while that is away")
  func byTurns() throws {
    let house = try Household()
    let place = try house.makeFolder("stick")
    let parked = house.root.appending("first")
    let first = try house.initialise(place).device
    try house.move(place, to: parked)
    // A second stick, made on another machine, in the same slot.
    let made = try house.makeFolder("made")
    try house.initialise(made, in: house.other("elsewhere"))
    try house.move(made, to: place)
    let second = try house.initialise(place, joining: true).device
    #expect(try house.open(place).stream == second.record.stream)
    try house.move(place, to: house.root.appending("second"))
    #expect(try house.open(place).stream == second.record.stream)
    #expect(try house.open().stream == second.record.stream)
    try house.move(parked, to: place)
    #expect(try house.open(place).stream == first.record.stream)
  }

  @Test("are left one by one; another is never chosen in place of the default")
  func leaving() throws {
    let house = try Household()
    let (one, two) = (try house.makeFolder("one"), try house.makeFolder("two"))
    try house.initialise(one)
    try house.initialise(two)
    let done = try house.directory.leave(try house.open().device, .published, process: "1")
    #expect(done.wasDefault)
    #expect(throws: DeviceError.noContainerChosen(state: house.directory.root)) {
      try house.open()
    }
    #expect(try house.open(one).device.absence() == nil)
    let other = try house.directory.leave(try house.open(one).device, .published, process: "1")
    #expect(!other.wasDefault)
  }
}
