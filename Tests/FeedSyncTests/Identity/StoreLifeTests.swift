import FeedSync
import Foundation
import Testing

/// S1, S7 to S13: what becomes of a store, whatever becomes of its folder and database.
@Suite struct StoreLifeTests {
  let place: Place
  let ann: DocumentStore

  init() throws {
    place = try Place()
    ann = try place.store()
    try ann.write { try $0.put(Note(title: "old"), at: "a", in: "notes") }
  }

  private func titles(_ store: DocumentStore) throws -> [String] {
    try store.read { reader in
      let notes = try reader.ids(in: "notes").map { try reader.document($0, in: "notes") }
      return try notes.compactMap { try $0?.decode(Note.self).title }
    }
  }

  @Test func s1_theDatabaseIsNeverInTheFolder() throws {
    let files = FileManager.default.enumerator(atPath: place.folder.path)?.allObjects ?? []
    let names = files.compactMap { $0 as? String }
    #expect(names.contains { $0.hasSuffix(".log") })
    #expect(!names.contains { $0.contains("sqlite") })
    let error = #expect(throws: FeedSyncError.self) {
      try UbiquityContainer.join(
        place.folder.path, state: place.folder.appending(path: "state").path)
    }
    #expect(error?.code == .configuration)
  }

  @Test func s7_anEmptiedFolderTakesNothingAway() throws {
    try FileManager.default.removeItem(at: place.folder.appending(path: "logs"))
    try ann.importAll()
    #expect(try titles(ann) == ["old"])
    let carl = try place.store("carl")
    try carl.importAll()
    // What it had published is put back.
    #expect(try titles(carl) == ["old"])
  }

  @Test func s8_whatIsWrittenBeforeTheFirstImportStays() throws {
    let ben = try place.store("ben")
    try ben.write { try $0.put(Note(title: "first"), at: "b", in: "notes") }
    #expect(try titles(ben) == ["first"])
    try place.setFolder(isAway: true)
    try ben.write { try $0.put(Note(title: "second"), at: "c", in: "notes") }
    try place.setFolder(isAway: false)
    for store in [ben, ann] {
      try store.importAll()
      #expect(try titles(store) == ["old", "first", "second"])
    }
  }

  @Test func s9_aStoreMadeAnewHasAllThatIsSharedAndWhatWaited() throws {
    let ben = try place.store("ben")
    try ben.write { try $0.put(Note(title: "ben"), at: "b", in: "notes") }
    try ann.importAll()
    try place.setFolder(isAway: true)
    try ann.write { try $0.put(Note(title: "waits"), at: "c", in: "notes") }
    try place.setFolder(isAway: false)
    let before = try titles(ann)
    let summary = try UbiquityContainer.rebuild(place.folder.path, state: place.state("ann"))
    let new = DocumentStore(summary.container)
    #expect(try titles(new) == before)
    #expect(new.container.thisDevice.id != ann.container.thisDevice.id)
    try ben.importAll()
    #expect(try titles(ben) == before)
  }

  @Test func s10_aDetachedCopyHasTheRowsAndNoIdentity() throws {
    let file = place.root.appending(path: "copy.jsonl")
    #expect(try ann.detach(to: file.path) == 1)
    let copy = try String(contentsOf: file, encoding: .utf8)
    #expect(copy == (try place.feedsync("dump")))
    #expect(!copy.contains(ann.container.thisDevice.id) && !copy.contains(ann.container.id))
    // Another container takes the rows as its own.
    let other = try Place()
    let store = try other.store()
    try other.feedsync("load", file.path)
    #expect(try titles(store) == ["old"])
    #expect(try other.feedsync("dump") == copy)
    // The first knows nothing of it.
    try store.write { try $0.put(Note(title: "new"), at: "a", in: "notes") }
    try ann.importAll()
    #expect(try titles(ann) == ["old"])
  }

  @Test func s10_aCopyIsWrittenWholeBesideNothingElseAndNeverIntoTheFolder() throws {
    try ann.write { writer in
      for number in 0..<2000 {
        try writer.put(Note(title: "\(number)"), at: "\(number)", in: "many")
      }
    }
    let file = place.root.appending(path: "copy.jsonl")
    #expect(try ann.detach(to: file.path) == 2001)
    #expect(try String(contentsOf: file, encoding: .utf8) == place.feedsync("dump"))
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let link = place.root.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: place.folder)
    let refused: [(String, FeedSyncError.Code)] = [
      (file.path, .cannotWrite), (place.folder.appending(path: "copy").path, .usage),
      (place.folder.appending(path: "logs/copy").path, .usage),
      (link.appending(path: "copy").path, .usage),
      (place.root.appending(path: "missing/copy").path, .cannotRead),
    ]
    for (path, code) in refused {
      let error = #expect(throws: FeedSyncError.self) { try ann.detach(to: path) }
      #expect(error?.code == code, "\(path)")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: place.root.path)
    #expect(names.sorted() == ["copy.jsonl", "folder", "link", "state-ann"])
  }

  @Test func s11_twoProgramsShareAContainerWithCollectionsOfTheirOwn() throws {
    // Each with a state of its own: two devices, with two databases and two streams.
    let reader = try place.store("reader")
    try reader.write { try $0.put(Note(title: "feed"), at: "a", in: "feeds") }
    #expect(reader.container.thisDevice.id != ann.container.thisDevice.id)
    #expect(reader.container.id == ann.container.id)
    for store in [ann, reader] {
      try store.importAll()
      #expect(try store.read { try $0.collections() } == ["feeds", "notes"])
      #expect(try titles(store) == ["old"])
    }
    // Or with one state: one device, and the same.
    let beside = try place.store()
    try beside.write { try $0.put(Note(title: "x"), at: "a", in: "clips") }
    #expect(beside.container.thisDevice.id == ann.container.thisDevice.id)
    #expect(try ann.read { try $0.collections() } == ["clips", "feeds", "notes"])
    #expect(try ann.conflictedDocuments().isEmpty)
  }

  private struct LaterNote: Codable {
    var title: String
    var isDone = false
    var color = "red"
  }

  @Test func s12_versionsOfAProgramExchangeAllAndLeaveAloneWhatTheyDoNotKnow() throws {
    let ben = try place.store("ben")
    try ben.importAll()
    try ben.write { try $0.put(LaterNote(title: "new", color: "blue"), at: "a", in: "notes") }
    try ann.importAll()
    try ann.write { try $0.update(Note.self, at: "a", in: "notes") { $0.isDone = true } }
    try ben.importAll()
    let note = try ben.read { try $0.get(LaterNote.self, at: "a", in: "notes") }
    #expect(note?.color == "blue" && note?.isDone == true && note?.title == "new")
  }

  @Test func s13_whoeverMakesTheSameThingUnderTheSameIdMakesOneOfIt() throws {
    let ben = try place.store("ben")
    try ann.write { try $0.put(Note(title: "ann"), at: "same", in: "notes") }
    later()
    try ben.write { try $0.put(Note(title: "ben"), at: "same", in: "notes") }
    for store in [ann, ben, ann] { try store.importAll() }
    for store in [ann, ben] { #expect(try titles(store) == ["old", "ben"]) }
    #expect(try ann.conflictedDocuments() == ben.conflictedDocuments())
  }
}
