import DocumentStorage
import Replication
import SegmentFormat
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("The archive of segments") struct ArchiveTests {
  private static func archive(_ peer: Peer, of stream: StreamID) throws -> [ArchivedSegment] {
    try peer.device.database.archivedSegments(of: stream)
  }

  private static func bytes(_ peer: Peer, of stream: StreamID) throws -> [[UInt8]?] {
    try archive(peer, of: stream).map { try peer.device.database.archivedBytes(of: $0) }
  }

  @Test("keeps what was published and what was imported, byte for byte and in order")
  func keeps() throws {
    let scene = try TwoAuthors()
    try scene.deliver(Array(scene.annFiles.reversed()) + [scene.bobFile])
    try scene.reader.importAll()
    for peer in [scene.ann, scene.reader] {
      let archive = try Self.archive(peer, of: scene.ann.stream)
      #expect(archive.map(\.first) == [1, 2, 3])
      #expect(archive.map(\.last) == [1, 2, 3])
      #expect(archive.map(\.digest) == (try scene.annFiles.map { try $0.decoded().digest }))
      #expect(archive.map(\.size) == scene.annFiles.map(\.bytes.count))
      #expect(try Self.bytes(peer, of: scene.ann.stream) == scene.annFiles.map(\.bytes))
      let summaries = try peer.device.database.streamSummaries()
      let tip = try #require(summaries.first { $0.stream == scene.ann.stream }).tip
      #expect(archive.last?.fingerprint == tip.fingerprint)
    }
    #expect(try Self.bytes(scene.reader, of: scene.bob.stream) == [scene.bobFile.bytes])
    #expect(try Self.archive(scene.ann, of: scene.bob.stream).isEmpty)
  }

  @Test("keeps nothing that waits, is not published, or belongs to another branch")
  func keepsOnlyWhatIsApplied() throws {
    let scene = try TwoAuthors()
    try scene.deliver([scene.annFiles[2]])
    try scene.reader.importAll()
    #expect(try Self.archive(scene.reader, of: scene.ann.stream).isEmpty)
    try scene.ann.put("more", "{}")
    #expect(try Self.archive(scene.ann, of: scene.ann.stream).count == 3)
  }

  @Test("does not keep twice what comes again under other borders: the larger takes its place")
  func borders() throws {
    let scene = try TwoAuthors()
    let segments = try scene.annFiles.map { try $0.decoded().segment }
    func joined(_ count: Int) throws -> LogFile {
      let file = SegmentFile.encode(try Segment(joining: Array(segments[..<count])))
      let name = try #require(FilePath.Component("joined-\(count).log"))
      return LogFile(
        directory: scene.annFiles[0].directory, name: name, bytes: file.bytes)
    }
    try scene.deliver([scene.annFiles[0], scene.annFiles[1]])
    try scene.reader.importAll()
    try scene.deliver([try joined(2)])
    #expect(try scene.reader.importAll().duplicates == 1)
    #expect(try Self.archive(scene.reader, of: scene.ann.stream).map(\.sequences) == [1...2])
    let whole = try joined(3)
    try scene.deliver([whole])
    try scene.reader.importAll()
    let archive = try Self.archive(scene.reader, of: scene.ann.stream)
    try #require(archive.map(\.sequences) == [1...3])
    #expect(try scene.reader.device.database.archivedBytes(of: archive[0]) == whole.bytes)
    // What the author has not removed yet, or a syncer brings back, does not come back here.
    try scene.deliver([scene.annFiles[0]])
    try scene.reader.importAll()
    #expect(try Self.archive(scene.reader, of: scene.ann.stream) == archive)
  }

  @Test("forgets a segment that is removed from it, and nothing else")
  func removes() throws {
    let scene = try TwoAuthors()
    let database = scene.ann.device.database
    let archive = try Self.archive(scene.ann, of: scene.ann.stream)
    try database.removeArchived(archive[1])
    #expect(try database.archivedBytes(of: archive[1]) == nil)
    #expect(try Self.archive(scene.ann, of: scene.ann.stream) == [archive[0], archive[2]])
    // What is in the folder is not taken back: it was removed on purpose.
    try scene.ann.importAll()
    #expect(try Self.archive(scene.ann, of: scene.ann.stream) == [archive[0], archive[2]])
  }
}
