import DocumentStorage
import Replication
import Syncing
import Testing

@Suite("A hole is given up") struct GivingUpStepsTests {
  /// Bob names the fourth of ann's; the reader has the last two of hers, which wait, and not the
  /// first.
  private static func scene() throws -> (ann: Peer, reader: Peer) {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("ann"))
    let bob = try world.peer("bob", in: try world.folder("bob"))
    let reader = try world.peer("reader", in: try world.folder("reader"))
    for number in 1...2 {
      // The first of several in a file is whole, and can be read behind a hole.
      try ann.put("b\(number)", "{}", isPublishedAtOnce: false)
      try ann.put("a\(number)", "{}")
      try ann.publish()
    }
    try world.give(ann, to: bob)
    try bob.put("c", "{}")
    try bob.publish()
    let files = try world.logs(in: ann.folder)
    try #require(files.count == 2)
    try world.deliver(files[1], to: reader.folder)
    for file in try world.logs(in: bob.folder) where file.directory == bob.directory {
      try world.deliver(file, to: reader.folder)
    }
    try reader.importAll()
    return (ann, reader)
  }

  @Test("up to the first file that waits, so that nothing is passed over which is there")
  func stepwise() throws {
    let (ann, reader) = try Self.scene()
    let steps = try GivingUpSteps(in: reader.device.database)
    #expect(steps.next(of: ann.stream, after: 0, upTo: 4) == 2)
    #expect(steps.next(of: ann.stream, after: 0, upTo: 1) == 1)
    // What waits there all the same cannot be read.
    #expect(steps.next(of: ann.stream, after: 2, upTo: 4) == 4)
    #expect(steps.next(of: ann.stream, after: 4, upTo: 4) == nil)
    let report = try reader.skip(ann)
    #expect(report.imported.segments == 1)
    #expect(try reader.body("a2") == "{}")
  }

  @Test("not past what anything tells of, whatever number a damaged database names")
  func bounded() throws {
    let (ann, reader) = try Self.scene()
    let steps = try GivingUpSteps(in: reader.device.database)
    #expect(steps.next(of: ann.stream, after: 2, upTo: 1 << 40) == 4)
    #expect(steps.next(of: reader.stream, after: 0, upTo: 1 << 40) == nil)
  }
}
