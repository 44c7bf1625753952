import CanonicalJSON
import DocumentStorage
import Replication
import SegmentFormat
import Syncing
import SystemPackage
import Testing

/// A report names so many documents of a device, and the paths that changed in them.
///
/// An import writes what it has collected whenever that takes too much memory, so a document that
/// is listed may change again in a later write of the same part.
@Suite("What an import lists of a device") struct ListedDocumentsTests {
  private let world: World
  private let ann: Peer

  init() throws {
    world = try World()
    ann = try world.peer("ann", in: try world.folder("ann"))
  }

  private func put(_ ids: [String], _ body: String) throws {
    try ann.write { writer in
      for id in ids { _ = try writer.put(try JSONText.parse(body), at: Peer.key(id)) }
    }
    try ann.publish()
  }

  /// What a new device reports when all of it comes in one part.
  private func report(
    _ reader: FilePath.Component, foldBytes: Int
  ) throws -> ImportedPart.FromDevice {
    let reader = try world.peer("reader", in: try world.folder(reader))
    let segments = try world.logs(in: ann.folder).map { file in
      let (segment, digest) = try SegmentFile.decode(file.bytes)
      return ImportableSegment(
        segment: segment, digest: digest, bytes: file.bytes, isUnderOwnName: true, file: file.key)
    }
    let part = try reader.device.database.apply(
      segments, now: world.ambient.time, nonce: 1, foldBytes: foldBytes)
    return try #require(part.devices.first)
  }

  @Test(
    "is the same whether it is written at once or piece by piece", arguments: [1, 700, 1 << 20])
  func fewDocuments(foldBytes: Int) throws {
    try put(["m", "k"], #"{"a":1}"#)
    try put(["z", "b"], #"{"a":1}"#)
    try put(["m"], #"{"a":1,"b":2}"#)
    try put(["b"], #"{"a":2,"c":{"d":3}}"#)
    let device = try report("reader", foldBytes: foldBytes)
    #expect(device.documentCount == 4)
    let paths = Dictionary(
      uniqueKeysWithValues: device.documents.map { ($0.key, $0.paths.map(\.pointer)) })
    #expect(
      paths == [
        Peer.key("b"): ["/a", "/c", "/c/d"], Peer.key("k"): ["/a"], Peer.key("m"): ["/a", "/b"],
        Peer.key("z"): ["/a"],
      ])
    #expect(device.collections == ["notes"])
  }

  @Test("are the first thousand, and what changes in them once these are full")
  func manyDocuments() throws {
    let ids = (0..<ImportedPart.maximumDocuments + 7).map { String(10000 + $0) }
    try put(ids, #"{"a":1}"#)
    try put(["10003", ids[ids.count - 1]], #"{"a":1,"b":2}"#)
    let all = try report("at once", foldBytes: 1 << 20)
    let pieces = try report("in pieces", foldBytes: 1 << 12)
    #expect(all.documentCount == ids.count)
    for device in [all, pieces] {
      #expect(device.documents.count == ImportedPart.maximumDocuments)
      #expect(
        device.documents.map(\.key)
          == ids.prefix(ImportedPart.maximumDocuments).map { Peer.key($0) })
      #expect(device.documents[3].paths.map(\.pointer) == ["/a", "/b"])
      #expect(device.documents[4].paths.map(\.pointer) == ["/a"])
    }
  }
}
