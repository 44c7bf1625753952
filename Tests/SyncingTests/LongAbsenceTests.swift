import Syncing
import Testing

/// Lesson 16: neither the dead come back silently, nor is the traveller's work lost.
@Suite("A device that comes back after a year") struct LongAbsenceTests {
  // Lesson 16.
  @Test("brings what it wrote, brings back nothing, and ends equal")
  func year() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let bob = try world.peer("bob", in: try world.folder("bob"))
    func exchange() throws {
      for (source, target) in [(ann, bob), (bob, ann)] {
        try source.publish()
        for file in try world.logs(in: source.folder) {
          try world.deliver(file, to: target.folder)
        }
        try target.importAll()
      }
    }
    for id in ["deleted", "edited", "kept"] { try ann.put(id, #"{"n":1}"#) }
    try exchange()
    try bob.put("edited", #"{"n":1,"by":"bob"}"#)
    try bob.put("new", #"{"n":2}"#)
    for number in 0..<50 {
      world.advance(milliseconds: 7 * 86_400_000)
      for id in ["deleted", "edited"] { try ann.delete(id) }
      try ann.put("kept", #"{"n":\#(number)}"#)
      try ann.importAll()
    }
    try exchange()
    try exchange()
    #expect(try ann.dump() == bob.dump())
    for device in [ann, bob] {
      #expect(try device.body("deleted") == nil)
      // A delete that had not seen an edit does not take it away.
      #expect(try device.body("edited") == #"{"by":"bob","n":1}"#)
      #expect(try device.body("kept") == #"{"n":49}"#)
      #expect(try device.body("new") == #"{"n":2}"#)
    }
  }
}
