import DocumentStorage
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// Two connections to one database, as two processes of one device have.
private struct TwoProcesses {
  let scene: TwoAuthors
  let one: Peer
  let two: Peer

  init() throws {
    scene = try TwoAuthors(.real)
    let folder = try scene.world.folder("shared")
    let state = scene.world.root.appending("state")
    try scene.world.files.makeDirectory(state, mode: 0o700)
    one = try scene.world.peer("dev", in: folder, database: StoreDatabase(directory: state))
    two = try scene.world.peer("dev", in: folder, database: StoreDatabase(directory: state))
    try #require(one.stream == two.stream)
  }

  func deliver(_ files: [LogFile]) throws {
    for file in files { try scene.world.deliver(file, to: one.folder) }
  }
}

@Suite("Two processes of one device") struct TwoProcessesTests {
  @Test("write alternately, and every transaction is published once")
  func alternateWrites() throws {
    let both = try TwoProcesses()
    for number in 1...10 {
      let peer = number.isMultiple(of: 2) ? both.one : both.two
      try peer.put("\(number)", #"{"n":\#(number)}"#)
      if number.isMultiple(of: 3) { try both.one.publish() }
      if number.isMultiple(of: 4) { try both.two.publish() }
    }
    try both.one.publish()
    try both.two.publish()
    let reader = both.scene.reader
    for file in try both.scene.world.logs(in: both.one.folder) {
      try both.scene.world.deliver(file, to: reader.folder)
    }
    let report = try reader.importAll()
    #expect(report.transactions == 10)
    #expect(report.duplicates == 0)
    #expect(report.gaps.isEmpty)
    #expect(try reader.dump() == both.one.dump())
    #expect(try both.one.dump() == both.two.dump())
  }

  @Test("see what the other has written and imported")
  func sight() throws {
    let both = try TwoProcesses()
    try both.one.put("x", #"{"n":1}"#)
    #expect(try both.two.body("x") == #"{"n":1}"#)
    try both.two.put("x", #"{"n":2}"#)
    #expect(try both.one.body("x") == #"{"n":2}"#)
    try both.deliver(both.scene.annFiles)
    try both.two.importAll()
    #expect(try both.one.body("a3") == #"{"n":3}"#)
  }

  /// What another peer publishes: in each file two transactions, so that it can be read without the
  /// one before it.
  private func pairs(
    _ count: Int, _ both: TwoProcesses
  ) throws -> (ann: Peer, files: [LogFile]) {
    let ann = try both.scene.world.peer("ann", in: try both.scene.world.folder("more"))
    for number in 1...count {
      for id in ["c", "d\(number)"] {
        try ann.put(id, #"{"n":\#(number)}"#, isPublishedAtOnce: false)
      }
      try ann.publish()
    }
    return (ann, try both.scene.world.logs(in: ann.folder))
  }

  @Test("see what the other has given up while they import")
  func givenUpMeanwhile() throws {
    let both = try TwoProcesses()
    let (ann, files) = try pairs(4, both)
    try both.deliver([files[0], files[2]])
    let importer = Importer(device: both.one.device)
    #expect(try importer.importAll().gaps.count == 1)
    try both.deliver(both.scene.annFiles)
    var isFirst = true
    importer.onProgress = { _ in
      guard isFirst else { return }
      isFirst = false
      do { try both.two.skip(ann) } catch { Issue.record(error) }
    }
    _ = try importer.importAll()
    #expect(!isFirst)
    try both.deliver([files[3]])
    let report = try importer.importAll()
    #expect(report.segments == 1)
    #expect(report.gaps.isEmpty)
    #expect(try both.one.body("d4") == #"{"n":4}"#)
  }

  @Test("see what another importer of the same process has given up and imported")
  func givenUpBeside() throws {
    let both = try TwoProcesses()
    let (ann, files) = try pairs(5, both)
    try both.deliver([files[0], files[2]])
    let importer = Importer(device: both.one.device)
    #expect(try importer.importAll().gaps.count == 1)
    try both.one.skip(ann)
    try both.deliver([files[3]])
    #expect(try both.one.importAll().segments == 1)
    // Of what it does not know to be here, it would take this for a file behind a hole.
    try both.deliver([files[4]])
    let report = try importer.importAll()
    #expect(report.segments == 1)
    #expect(report.gaps.isEmpty)
    #expect(try both.one.body("d5") == #"{"n":5}"#)
  }

  @Test("apply the same segments once, whichever comes first")
  func appliedOnce() throws {
    let both = try TwoProcesses()
    let importers = [both.one, both.two].map { Importer(device: $0.device) }
    var segments = 0
    var transactions = 0
    for (index, file) in both.scene.annFiles.enumerated() {
      try both.deliver([file])
      for importer in index.isMultiple(of: 2) ? importers : importers.reversed() {
        let report = try importer.importAll()
        segments += report.segments
        transactions += report.transactions
        #expect(report.setAside.isEmpty)
        #expect(report.duplicates == 0)
      }
    }
    #expect(segments == 3)
    #expect(transactions == 3)
  }

  @Test("that hold the same verified segment apply it once")
  func sameSegmentTwice() throws {
    let both = try TwoProcesses()
    try both.deliver(both.scene.annFiles)
    try both.one.importAll()
    let before = try both.one.dump()
    // What the other process had read before it waited for the database.
    let stale = try both.scene.annFiles.map { try importable($0) }
    let part = try both.two.device.database.apply(
      stale, now: both.two.device.ambient.time, nonce: 1)
    #expect(part.segments == 0)
    #expect(part.duplicates.count == 3)
    #expect(part.devices.isEmpty)
    #expect(try both.two.dump() == before)
  }

  // Lesson 23.
  @Test("import at the same time without losing or repeating anything")
  func concurrently() async throws {
    let both = try TwoProcesses()
    try both.deliver(both.scene.annFiles + [both.scene.bobFile])
    let (one, two) = (both.one, both.two)
    async let first = Task.detached { try one.importAll().transactions }.value
    async let second = Task.detached { try two.importAll().transactions }.value
    let sum = try await first + second
    #expect(sum == 4)
    #expect(try both.one.dump() == both.scene.complete)
  }

  @Test("forget a file that was set aside once the other has imported it")
  func setAsideElsewhere() throws {
    let both = try TwoProcesses()
    let importer = Importer(device: both.one.device)
    let file = both.scene.bobFile
    try BadFile.cut.place(file, in: both.one.folder, of: both.scene.world)
    #expect(try importer.importAll().setAside.count == 1)
    try both.deliver([file])
    #expect(try both.two.importAll().restored == [file.key])
    let report = try importer.importAll()
    #expect(report.setAside.isEmpty)
    #expect(report.segments == 0)
  }

  private func importable(_ file: LogFile) throws -> ImportableSegment {
    let (segment, digest) = try file.decoded()
    return ImportableSegment(
      segment: segment, digest: digest, bytes: file.bytes, isUnderOwnName: true,
      file: file.key)
  }
}
