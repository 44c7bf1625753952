import DocumentStorage
import Replication
import Syncing
import SystemFiles
import TestSupport
import Testing

/// What comes to a document in one part of an import is not taken in where something that comes
/// with it, later, has covered it.
@Suite("A document is the same whether all comes to it at once or one edit after another")
struct CoveredInOnePartTests {
  /// What is kept of a document, but for contexts, and but for what is only hidden since something
  /// was missing when the document was last written: both are let go of at other times.
  private struct Kept: Equatable {
    let key: DocumentKey
    let operations: [DocumentState.Effect]
    let stamps: [Stamp]
    let forgotten: Int?
  }

  private func kept(by peer: Peer) throws -> [Kept] {
    try peer.device.database.keptDocuments().sorted { $0.key < $1.key }.map { kept in
      var state = kept.state
      state.settle()
      return Kept(
        key: kept.key, operations: state.entries.map(\.effect),
        stamps: state.entries.map(\.stamp), forgotten: state.forgotten)
    }
  }

  private func edit(_ peer: Peer, _ random: inout SeededGenerator) throws {
    let id = "\(Int.random(in: 0..<3, using: &random))"
    let (field, value) = (
      ["a", "b", "c"].randomElement(using: &random) ?? "a", Int.random(in: 0..<9, using: &random)
    )
    switch Int.random(in: 0..<10, using: &random) {
    case 0: try peer.delete(id)
    case 1: try peer.put(id, #"{"\#(field)":{"x":\#(value)}}"#)
    case 2: try peer.increment("/n", of: id, by: Int64(value))
    case 3: try peer.add("\(value)", to: "/s", of: id)
    default:
      let body = try peer.body(id) ?? "{}"
      let rest = body.dropFirst().dropLast()
      // A member that is there twice counts as it stands last.
      let members = rest.split(separator: ",").filter { !$0.hasPrefix("\"\(field)\"") }
      let isFlat = !rest.contains("{") && !rest.contains("[")
      let all = (isFlat ? members : []) + ["\"\(field)\":\(value)"]
      try peer.put(id, "{" + all.joined(separator: ",") + "}")
    }
  }

  @Test("and counts the same as forgotten", arguments: 0..<40)
  func sameState(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let world = try World()
    let authors = try ["ann", "bob", "cem"].map { try world.loner($0) }
    let slow = try world.loner("slow")
    let importer = Importer(
      device: slow.device, limits: ImportPart.Limits(operations: 1, bytes: 1, foldBytes: 1))
    for _ in 0..<40 {
      let peer = authors[Int.random(in: 0..<3, using: &random)]
      for _ in 0...Int.random(in: 0..<3, using: &random) { try edit(peer, &random) }
      try peer.publish()
      let other = authors[Int.random(in: 0..<3, using: &random)]
      if other.stream != peer.stream { try world.give(peer, to: other) }
      guard Bool.random(using: &random) else { continue }
      for author in authors { try world.mirror(author, to: slow) }
      _ = try importer.importAll()
    }
    let fast = try world.loner("fast")
    for author in authors {
      for peer in [slow, fast] { try world.mirror(author, to: peer) }
    }
    _ = try importer.importAll()
    #expect(try fast.importAll().gaps.isEmpty)
    #expect(try fast.dump() == slow.dump())
    #expect(try kept(by: fast) == kept(by: slow))
  }
}
