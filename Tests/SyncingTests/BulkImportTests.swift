import CanonicalJSON
import DocumentStorage
import Replication
import SegmentFormat
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("Large imports") struct BulkImportTests {
  /// Many edits of few documents, in transactions of several operations, and deletes.
  private func history(_ peer: Peer) throws {
    for number in 0..<40 {
      try peer.write { writer in
        for id in 0..<5 {
          let body = try JSON(parsing: Array(#"{"n":\#(number),"m":{"k":\#(id)}}"#.utf8))
          _ = try writer.put(body, at: Peer.key("\((number + id) % 7)"))
        }
        if number.isMultiple(of: 6) { _ = try writer.delete(Peer.key("3")) }
      }
    }
    try peer.publish()
  }

  private func segments(_ world: World, _ peer: Peer) throws -> [ImportableSegment] {
    try world.logs(in: peer.folder).map { log in
      let (segment, digest) = try log.decoded()
      return ImportableSegment(
        segment: segment, digest: digest, bytes: log.bytes, isUnderOwnName: true,
        file: log.key)
    }
  }

  @Test("documents that are written several times in one part come out the same")
  func folds() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("folder"))
    try history(ann)
    let segments = try segments(world, ann)
    func dump(foldBytes: Int) throws -> (documents: [String], part: ImportedPart, progress: Int) {
      let database = try StoreDatabase.inMemory()
      let bob = try world.peer("bob", in: ann.folder, database: database)
      var progress = 0
      let part = try bob.device.database.apply(
        segments, now: world.ambient.time, nonce: 1, foldBytes: foldBytes
      ) { progress += $0 }
      var documents: [String] = []
      try database.forEachDocument { documents.append("\($0) \($1)") }
      return (documents, part, progress)
    }
    let whole = try dump(foldBytes: .max)
    #expect(whole.documents.count == 7 - (try ann.body("3") == nil ? 1 : 0))
    for foldBytes in [0, 300, 2000] {
      let parts = try dump(foldBytes: foldBytes)
      #expect(parts.documents == whole.documents, "\(foldBytes)")
      #expect(parts.progress == whole.progress)
      let listed = try #require(parts.part.devices.first)
      #expect(
        listed.documents.map(\.key).sorted() == whole.part.devices.first?.documents.map(\.key))
      #expect(listed.documentCount == whole.part.devices.first?.documentCount)
    }
  }

  @Test("more documents than one thread looks at come out as their author has them")
  func manyDocuments() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("folder"))
    for round in 0..<3 {
      for part in 0..<6 {
        try ann.write { writer in
          for id in part * 500..<(part + 1) * 500 where (id + round) % 3 > 0 {
            let text = #"{"n":\#(round),"id":"\#(id)","m":{"k\#(round)":[\#(id)]}}"#
            _ = try writer.put(try JSONText.parse(text), at: Peer.key("\(id)"))
          }
        }
      }
      try ann.publish()
    }
    let segments = try segments(world, ann)
    let operations = segments.flatMap(\.segment.transactions).flatMap(\.operations).count
    let bob = try world.peer("bob", in: ann.folder)
    var progress = 0
    let part = try bob.device.database.apply(segments, now: world.ambient.time, nonce: 1) {
      progress += $0
    }
    #expect(part.devices.first?.documentCount == 3000)
    #expect(progress == operations)
    #expect(try bob.dump() == ann.dump())
  }

  /// A real folder is read ahead, a pretended one is not; and each file leans on the one before it.
  @Test("many files of a transaction each come in", arguments: World.Kind.allCases)
  func manyFiles(kind: World.Kind) throws {
    let world = try World(kind)
    let ann = try world.peer("ann", in: try world.folder("folder"))
    let bob = try world.peer("bob", in: ann.folder)
    for number in 0..<60 {
      for peer in [ann, bob] {
        try peer.put("\(number % 20)", #"{"n":\#(number)}"#)
        try peer.publish()
      }
      if number.isMultiple(of: 20) { try bob.importAll() }
    }
    let carol = try world.peer("carol", in: ann.folder)
    let report = try carol.importAll()
    #expect(report.segments == 120)
    #expect(report.transactions == 120)
    #expect(report.gaps.isEmpty)
    try ann.importAll()
    #expect(try carol.dump() == ann.dump())
  }

  @Test("rows that are written many at once, and large ones, are each document's own")
  func rows() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("folder"))
    func body(_ number: Int, _ round: Int) -> String {
      let text = String(repeating: "\(number % 10)", count: number % 9 == 0 ? 90_000 : number)
      return #"{"n":\#(number + round),"t":"\#(text)"}"#
    }
    // More than one statement takes, and some that are left; then over the rows that are there.
    for round in 0..<2 {
      try ann.write { writer in
        for number in 0..<75 {
          let json = try JSONText.parse(body(number, round))
          _ = try writer.put(json, at: Peer.key("\(number)"))
        }
      }
      try ann.publish()
    }
    let bob = try world.peer("bob", in: ann.folder)
    try bob.importAll()
    for peer in [ann, bob] {
      for number in 0..<75 { #expect(try peer.body("\(number)") == body(number, 1)) }
    }
  }

  @Test("a transaction that edits documents of more authors than are looked at one by one")
  func manyAuthors() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("folder"))
    for number in 0..<20 {
      let author = try world.peer("author-\(number)", in: ann.folder)
      try author.put("\(number)", #"{"n":0}"#)
      try author.publish()
    }
    try ann.importAll()
    try ann.write { writer in
      for number in 0..<20 {
        let body = try JSONText.parse(#"{"n":\#(number + 1)}"#)
        _ = try writer.put(body, at: Peer.key("\(number)"))
      }
    }
    try ann.publish()
    let edit = try #require(
      try world.logs(in: ann.folder).first { $0.directory == ann.directory })
    // First alone, so that all streams that it names are new, and then with what it edits.
    let reader = try world.loner("reader")
    try world.deliver(edit, to: reader.folder)
    #expect(try reader.importAll().segments == 1)
    for file in try world.logs(in: ann.folder) { try world.deliver(file, to: reader.folder) }
    #expect(try reader.importAll().segments == 20)
    #expect(try reader.dump() == ann.dump())
  }

  @Test("contexts that take more than may be open ahead are completed when their turn comes")
  func largeContexts() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("folder"))
    let bob = try world.peer("bob", in: ann.folder)
    try bob.put("b", #"{"n":0}"#)
    try bob.publish()
    try ann.importAll()
    for number in 0..<5 {
      try ann.put("a\(number)", #"{"n":\#(number)}"#, isPublishedAtOnce: false)
    }
    try ann.put("b", #"{"n":1}"#, isPublishedAtOnce: false)
    try ann.publish()
    let held = try [bob, ann].map { peer in
      let file = try #require(
        try world.logs(in: ann.folder).first { $0.directory == peer.directory })
      return try HeldSegment(file.bytes, file: file.key) { _ in nil }
    }
    for (name, bytes) in [("none", 0), ("many", 4 << 20)] as [(FilePath.Component, Int)] {
      let reader = try world.loner(name)
      let part = try reader.device.database.apply(
        held: held, now: world.ambient.time, nonce: 1, aheadBytes: bytes)
      #expect(part.segments == 2)
      #expect(try reader.dump() == ann.dump())
    }
  }

  /// An edit that had seen a transaction may come before it, and the transaction is then written
  /// in several pieces: what the edit covers must stay covered.
  @Test("a transaction that is written in pieces is covered by what had seen all of it")
  func coveredInPieces() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("folder"))
    let bob = try world.peer("bob", in: ann.folder)
    let body = try JSONText.parse(#"{"m":{"k":1,"l":2,"n":{"o":3}},"t":"x"}"#)
    try ann.write { writer in
      for id in ["a", "b", "c"] { _ = try writer.put(body, at: Peer.key(id)) }
    }
    try ann.publish()
    try bob.importAll()
    try bob.put("a", #"{"t":"x"}"#)
    try bob.put("b", #"{"m":{"k":7,"l":2,"n":4},"t":"x"}"#)
    try bob.delete("c")
    try bob.publish()
    let segments = try segments(world, ann)
    func of(_ peer: Peer) -> [ImportableSegment] {
      segments.filter { $0.segment.range.stream == peer.stream }
        .sorted { $0.segment.range.first < $1.segment.range.first }
    }
    let orders = [of(bob) + of(ann), of(ann) + of(bob)]
    let expected = try bob.dump()
    for (number, order) in orders.enumerated() {
      for foldBytes in [0, 300, 600, .max] {
        let reader = try world.peer("reader", in: ann.folder)
        _ = try reader.device.database.apply(
          order, now: world.ambient.time, nonce: 1, foldBytes: foldBytes)
        #expect(try reader.dump() == expected, "order \(number), \(foldBytes) bytes")
      }
    }
  }

  @Test("a document that one transaction makes and deletes is absent, in whatever pieces it comes")
  func deletedInPieces() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("folder"))
    try ann.write { writer in
      _ = try writer.put(try JSONText.parse(#"{"a":1}"#), at: Peer.key("x"))
      _ = try writer.put(try JSONText.parse(#"{"b":1}"#), at: Peer.key("y"))
      _ = try writer.delete(Peer.key("x"))
    }
    try ann.publish()
    let segments = try segments(world, ann)
    try #require(segments.count == 1)
    for foldBytes in [0, 300, .max] {
      let bob = try world.peer("bob", in: ann.folder)
      _ = try bob.device.database.apply(
        segments, now: world.ambient.time, nonce: 1, foldBytes: foldBytes)
      #expect(try bob.body("x") == nil, "\(foldBytes) bytes")
      #expect(try bob.conflicts(of: "x") == [], "\(foldBytes) bytes")
      #expect(try bob.body("y") == #"{"b":1}"#, "\(foldBytes) bytes")
    }
  }

  @Test("an import that is asked to stop has whole parts, says so, and the next one goes on")
  func stops() throws {
    let world = try World()
    let ann = try world.peer("ann", in: try world.folder("folder"))
    try ann.publish(0..<10) { "x\($0)" }
    let bob = try world.peer("bob", in: ann.folder)
    let importer = Importer(device: bob.device)
    var read = 0
    importer.onProgress = { read = max(read, $0.files) }
    importer.isStopping = { read >= 4 }
    let report = try importer.importAll()
    #expect(report.isStopped)
    // Four were read; no part was full, so nothing was applied.
    #expect(read == 4)
    #expect(report.segments == 0)
    let rest = try bob.importAll()
    #expect(!rest.isStopped)
    #expect(rest.segments == 10)
    #expect(try bob.body("x9") == #"{"n":9}"#)
  }
}
