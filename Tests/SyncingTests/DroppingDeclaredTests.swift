import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// Ann writes a document and deletes it, each in a segment of its own.
@Suite("Compaction drops a delete only once the folder lacks what it took away")
struct DroppingDeclaredTests {
  private let world: World
  private let folder: FilePath
  private let ann: Peer

  init() throws {
    world = try World()
    folder = try world.folder("shared")
    ann = try world.peer("ann", in: folder)
    for number in 1...4 {
      try ann.put("old", #"{"n":\#(number)}"#)
      try ann.publish()
    }
    _ = try compact()
    try ann.delete("old")
    try ann.publish()
    for number in 1...3 {
      try ann.put("new", #"{"n":\#(number)}"#)
      try ann.publish()
    }
    _ = try compact()
  }

  @discardableResult private func compact() throws -> CompactionReport {
    try Compactor(device: ann.device, limits: .small(fanOut: 4)).run()
  }

  private var logs: [LogFile] {
    get throws { try world.logs(in: folder).filter { $0.directory == ann.directory } }
  }

  /// Whether the folder has an operation of the document.
  private func has(_ kind: OperationKind) throws -> Bool {
    try logs.flatMap { try $0.decoded().segment.transactions }.flatMap(\.operations)
      .contains { $0.document == Peer.key("old") && $0.kind == kind }
  }

  /// Lets weeks go by until the values are gone, and takes them for not gone: whoever wrote the
  /// file that lacks them died before it stood in the folder.
  private func dieBetween() throws {
    for _ in 0..<9 {
      let before = try logs
      world.advance(milliseconds: CompactionLimits.week)
      try compact()
      guard try !has(.set) else { continue }
      let after = try logs
      for file in after where !before.contains(file) { try world.remove(file.path(in: folder)) }
      for file in before where !after.contains(file) { try world.deliver(file, to: folder) }
      return
    }
    Issue.record("nothing was dropped")
  }

  @Test("and puts that there first, if whoever wrote it died before it stood there")
  func declared() throws {
    let shown = try ann.dump()
    try dieBetween()
    #expect(try has(.set) && has(.delete))
    for week in 1...9 {
      world.advance(milliseconds: CompactionLimits.week)
      try compact()
      #expect(try has(.delete) || !has(.set), "week \(week)")
      #expect(try world.newcomersDump(of: folder) == shown, "week \(week)")
    }
    #expect(try !has(.delete) && !has(.set))
  }
}
