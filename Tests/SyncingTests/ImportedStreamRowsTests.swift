import DocumentStorage
import Foundation
import GRDB
import Syncing
import SystemPackage
import Testing

/// Of a page that is in the log already SQLite writes the second time into the first one's place,
/// and then takes the checksums of all that is behind it once more.
@Suite("The rows of streams") struct ImportedStreamRowsTests {
  private static let documents = 12_000
  private let world: World
  private let reader: Peer
  private let state: FilePath

  init() throws {
    world = try World(.real)
    state = world.root.appending("state")
    try world.files.makeDirectory(state, mode: 0o700)
    let folder = try world.folder("shared")
    let author = try world.peer("author", in: folder)
    let body = try JSONText.parse(#"{"n":"\#(String(repeating: "0123456789abcdef", count: 32))"}"#)
    for start in stride(from: 0, to: Self.documents, by: 1000) {
      try author.write { writer in
        for number in start..<start + 1000 {
          _ = try writer.put(body, at: Peer.key("\(100_000 + number)"))
        }
      }
    }
    try author.publish()
    reader = try world.peer("reader", in: folder, database: StoreDatabase(directory: state))
  }

  /// The pages that the log has, in the order of their frames.
  private func loggedPages() throws -> [UInt32] {
    let log = try Data(contentsOf: URL(filePath: state.appending("store.sqlite-wal").string))
    func number(at offset: Int) -> UInt32 {
      log[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    let frame = 24 + Int(number(at: 8))
    return stride(from: 32, through: log.count - frame, by: frame).map { number(at: $0) }
  }

  @Test("are written to the log behind all that a large import writes, and not before it, too")
  func once() throws {
    let page = try reader.device.database.read { db in
      try UInt32.fetchOne(db, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'streams'")
    }
    let importer = Importer(device: reader.device)
    var pages: [UInt32] = []
    importer.onPart = { _ in pages = try loggedPages() }
    _ = try importer.importAll()
    #expect(try reader.device.database.counts().documents == Self.documents)
    // More than an import keeps of the database.
    try #require(pages.count > 1500)
    let place = try #require(page.flatMap { pages.lastIndex(of: $0) })
    #expect(place > pages.count * 2 / 3)
  }
}
