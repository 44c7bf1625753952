import Replication
import Syncing
import SystemFiles
import Testing

/// The twin went on from an older state of ann, and the first file of that has not come.
@Suite("A file that goes on from what has not come, beside what has") struct WaitingBranchTests {
  private let world: World
  private let fake: InMemoryFileSystem
  private let reader: Peer
  private let ann: Peer
  /// What the twin wrote, the first file of which is missing.
  private let twinFiles: [LogFile]

  init() throws {
    fake = InMemoryFileSystem()
    world = try World(.fake, fake: fake)
    ann = try world.peer("ann", in: try world.folder("ann"))
    let twin = try BranchTests.clone(of: ann, in: try world.folder("twin"), world: world)
    reader = try world.peer("reader", in: try world.folder("reader"))
    for (peer, count) in [(ann, 5), (twin, 3)] {
      for number in 0..<count {
        try peer.put("\(number)", #"{"by":"\#(peer.folder)"}"#)
        try peer.publish()
      }
    }
    twinFiles = try world.logs(in: twin.folder)
    for file in try world.logs(in: ann.folder) + twinFiles.dropFirst() {
      try world.deliver(file, to: reader.folder)
    }
    try reader.importAll()
  }

  /// How many files an import opens.
  private func opened(by importer: Importer) throws -> Int {
    let before = fake.callCount(.open)
    _ = try importer.importAll()
    return fake.callCount(.open) - before
  }

  @Test("is not read again while nothing of its device has come, also if that is skipped")
  func notReadAgain() throws {
    let plain = try world.peer("plain", in: try world.folder("plain"))
    let fewest = try opened(by: Importer(device: plain.device))
    #expect(try opened(by: Importer(device: reader.device)) == fewest)
    try reader.skip(ann)
    #expect(try opened(by: Importer(device: reader.device)) == fewest)
    try world.deliver(try #require(try world.logs(in: ann.folder).first), to: plain.folder)
    #expect(try opened(by: Importer(device: plain.device)) == fewest + 1)
  }

  @Test("is read once more after its device's files were joined here, and then not again")
  func readOnceAfterCompaction() throws {
    try reader.device.database.retire(ann.stream, now: reader.device.ambient.now())
    try reader.importAll()
    let calm = try opened(by: Importer(device: reader.device))
    #expect(try Compactor(device: reader.device, limits: .small()).run().written > 0)
    #expect(try opened(by: Importer(device: reader.device)) > calm)
    #expect(try opened(by: Importer(device: reader.device)) == calm)
  }

  @Test("is read once that is here, whichever process brought it, and under whatever name")
  func readInTheEnd() throws {
    for isSkipped in [false, true] {
      let other = try world.peer(
        "other", in: try world.folder(isSkipped ? "skipped" : "waiting"))
      for file in try world.logs(in: reader.folder) where file.directory == ann.directory {
        try world.deliver(file, to: other.folder)
      }
      let importer = Importer(device: other.device)
      _ = try importer.importAll()
      if isSkipped { try other.skip(ann) }
      try world.deliver(twinFiles[0], to: other.folder, name: "copy.log")
      // Another process of the device, which is told of another directory only.
      #expect(try importer.importAll(in: []).segments == 0)
      #expect(try Importer(device: other.device).importAll().segments == 3)
      #expect(try importer.importAll().gaps.isEmpty)
      #expect(try other.device.database.frontier().applied.entries(of: ann.stream).count == 2)
    }
  }
}
