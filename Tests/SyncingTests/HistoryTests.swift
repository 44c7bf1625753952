import CanonicalJSON
import DocumentStorage
import Replication
import SegmentFormat
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("The history of a document") struct HistoryTests {
  let world: World
  let ann: Peer

  init() throws {
    world = try World()
    ann = try world.peer("ann", in: try world.folder("folder"))
  }

  /// What is known of the document `x`, a line for each member that a transaction changed.
  private static func lines(_ peer: Peer) throws -> [String] {
    let events = try peer.device.database.readSnapshot { try $0.events(of: Peer.key("x")) }
    #expect(events.missing.isEmpty)
    return events.history(of: Peer.key("x")).changes.flatMap { change in
      change.members.map { member in
        let texts = [member.old, member.new].map { value in
          value.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
        }
        var line = "\(change.header.sequence) \(member.path): \(texts[0]) -> \(texts[1])"
        if let outcome = member.outcome { line += " \(text(outcome))" }
        for lost in member.lost { line += ", not \(String(decoding: lost.value, as: UTF8.self))" }
        return line
      }
    }
  }

  private static func text(_ outcome: DocumentHistory.Outcome) -> String {
    switch outcome {
    case .shown: "shown"
    case .superseded(let dot): "superseded by \(dot.sequence)"
    case .lost(let dot): "lost to \(dot.sequence)"
    case .deleted(let dot): "deleted by \(dot.sequence)"
    }
  }

  @Test("tells what each transaction changed, the oldest first, published or not")
  func plain() throws {
    try ann.put("x", #"{"a":1,"m":{"k":"v"}}"#)
    try ann.put("y", #"{"a":5}"#)
    try ann.publish()
    try ann.put("x", #"{"a":2,"m":{"k":"v"}}"#)
    try ann.put("x", #"{"a":2,"m":7}"#)
    try ann.delete("x")
    try ann.put("x", #"{"a":3}"#)
    #expect(
      try Self.lines(ann) == [
        "1 /a: nothing -> 1 superseded by 3",
        #"1 /m/k: nothing -> "v" superseded by 4"#,
        "3 /a: 1 -> 2 deleted by 5",
        "4 /m: nothing -> 7 deleted by 5",
        #"4 /m/k: "v" -> nothing"#,
        "5 /a: 2 -> nothing",
        "5 /m: 7 -> nothing",
        "6 /a: nothing -> 3 shown",
      ])
  }

  @Test("is the same on every device, and names what lost against a concurrent value")
  func concurrent() throws {
    let bob = try world.peer("bob", in: try world.folder("bob"))
    try ann.put("x", #"{"a":1,"b":1}"#)
    try ann.publish()
    for file in try world.logs(in: ann.folder) { try world.deliver(file, to: bob.folder) }
    try bob.importAll()
    world.advance(milliseconds: 10)
    try bob.put("x", #"{"a":2,"b":1}"#)
    world.advance(milliseconds: 10)
    try ann.put("x", #"{"a":3,"b":1}"#)
    for (source, target) in [(ann, bob), (bob, ann)] {
      try source.publish()
      for file in try world.logs(in: source.folder) { try world.deliver(file, to: target.folder) }
      try target.importAll()
    }
    let expected = [
      "1 /a: nothing -> 1 superseded by 1",
      "1 /b: nothing -> 1 shown",
      "1 /a: 1 -> 2 lost to 2",
      "2 /a: 2 -> 3 shown, not 2",
    ]
    #expect(try Self.lines(ann) == expected)
    #expect(try Self.lines(bob) == expected)
  }

  @Test("tells of a delete that an edit it had not seen made vain")
  func vainDelete() throws {
    let bob = try world.peer("bob", in: ann.folder)
    try ann.put("x", #"{"a":1,"b":1}"#)
    try ann.importAll()
    try bob.importAll()
    try ann.put("x", #"{"a":2,"b":1}"#)
    world.advance(milliseconds: 10)
    try bob.delete("x")
    try ann.publish()
    try bob.importAll()
    try ann.importAll()
    let history = try ann.device.database.readSnapshot { snapshot in
      try snapshot.events(of: Peer.key("x")).history(of: Peer.key("x"))
    }
    let last = try #require(history.changes.last)
    #expect(last.header.stream == bob.stream)
    #expect(last.deletes && last.isVisible)
    #expect(try ann.body("x") == #"{"a":2,"b":1}"#)
  }

  @Test("gives the document as it was at each moment")
  func past() throws {
    func body(_ time: HybridTime) throws -> String? {
      try ann.device.database.readSnapshot { try $0.body(of: Peer.key("x"), at: time) }
        .map { String(decoding: $0, as: UTF8.self) }
    }
    var expected: [(HybridTime, String?)] = [(ann.device.ambient.time, nil)]
    for json in [#"{"a":1}"#, #"{"a":{"b":2}}"#, nil, #"{"c":[1,2]}"#] {
      world.advance(milliseconds: 1000)
      if let json { try ann.put("x", json) } else { try ann.delete("x") }
      world.advance(milliseconds: 500)
      expected.append((ann.device.ambient.time, json))
      try ann.publish()
    }
    for (time, json) in expected { #expect(try body(time) == json) }
    #expect(try body(.latest) == #"{"c":[1,2]}"#)
  }

  @Test("is whole whatever borders the segments had, also where they overlap")
  func borders() throws {
    try ann.publish(1...6, to: "x")
    let files = try world.logs(in: ann.folder)
    let segments = try files.map { try $0.decoded().segment }
    let expected = try Self.lines(ann)
    #expect(expected.count == 6)
    let reader = try world.peer("reader", in: try world.folder("reader"))
    func deliver(_ range: Range<Int>) throws {
      let joined = SegmentFile.encode(try Segment(joining: Array(segments[range])))
      let name = try #require(FilePath.Component("\(range).log"))
      try world.deliver(
        LogFile(directory: files[0].directory, name: name, bytes: joined.bytes),
        to: reader.folder)
      try reader.importAll()
    }
    try deliver(0..<2)
    try deliver(0..<4)
    for file in files[4...] { try world.deliver(file, to: reader.folder) }
    try reader.importAll()
    #expect(try reader.body("x") == #"{"n":6}"#)
    #expect(try Self.lines(reader) == expected)
  }

  @Test("says what is not kept, and refuses to guess the past from the rest")
  func missing() throws {
    try ann.publish(1...4, to: "x")
    let database = ann.device.database
    let archive = try database.archivedSegments(of: ann.stream)
    try database.removeArchived(archive[1])
    let events = try database.readSnapshot { try $0.events(of: Peer.key("x")) }
    #expect(events.missing.map(\.stream) == [ann.stream])
    // What leans on the missing one cannot be read, either.
    let missing = try #require(events.missing.first)
    #expect(missing.range.lowerBound == 2)
    #expect(throws: HistoryError.incomplete(missing)) {
      try database.readSnapshot { try $0.body(of: Peer.key("x"), at: .latest) }
    }
  }
}
