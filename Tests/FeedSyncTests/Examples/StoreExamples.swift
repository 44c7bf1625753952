import FeedSync
import Foundation

// What the documentation shows of reading, writing and following a store, to be compiled and not to
// be run: see `ExampleTests`.

enum StoreExamples {
  private static func show() {}
  private static func show(_ notes: [Note]) {}
  private static func show(_ text: String) {}
  private static func readNotes() throws {}

  struct Note: Codable {
    var title: String
    var done = false
  }

  private static func beginning() throws {
    struct Note: Codable {
      var title: String
      var done = false
    }

    let store = DocumentStore(try UbiquityContainer.join("/home/ann/Sync/notes"))
    try store.write { try $0.put(Note(title: "Groceries"), at: "groceries", in: "notes") }
    let note = try store.read { try $0.get(Note.self, at: "groceries", in: "notes") }
    _ = note
  }

  private static func following() async throws {
    struct Note: Codable {
      var title: String
      var done = false
    }

    let store = DocumentStore(try UbiquityContainer.join("/home/ann/Sync/notes"))
    try await store.write { try $0.put(Note(title: "Groceries"), at: "groceries", in: "notes") }
    for try await change in store.changes { print(change.extent) }
  }

  private static func readme() async throws {
    struct Note: Codable {
      var title: String
      var done = false
    }

    let store = DocumentStore(try UbiquityContainer.join("/home/ann/Sync/notes"))
    try await store.write { try $0.put(Note(title: "Groceries"), at: "groceries", in: "notes") }
    for try await change in store.changes where change.affects("notes") { show() }
  }

  private static func containers() throws {
    let container = try UbiquityContainer.join("/home/ann/Sync/notes")
    let store = DocumentStore(container)
    _ = store
  }

  private static func json() {
    let body: JSON = .object(["title": "Groceries", "done": .bool(false)])
    print(body.canonical)  // {"done":false,"title":"Groceries"}
    var object: JSONObject = ["title": "Groceries"]
    object["done"] = .bool(true)
    let text: ByteString = "Groceries"
    print(text.description)  // the String
  }

  // MARK: - Reading and writing

  private static func reading(_ store: DocumentStore) throws {
    let notes = try store.read { reader in
      let ids = try reader.ids(in: "notes")
      return try ids.compactMap { try reader.get(Note.self, at: $0, in: "notes") }
    }
    show(notes)
    if let document = try store.read({ try $0.document("groceries", in: "notes") }) {
      print(document.body.canonical, try document.decode(Note.self).title)
    }
  }

  private static func writing(_ store: DocumentStore) throws {
    try store.write { writer in
      try writer.put(Note(title: "Groceries"), at: "groceries", in: "notes")
      try writer.delete(at: "shopping", in: "notes")
    }
    try store.write { writer in
      try writer.update(Note.self, at: "groceries", in: "notes") { $0.done = true }
    }
  }

  private static func drafts(_ id: String, of document: Document, in store: DocumentStore) throws {
    var draft = (base: "", note: Note(title: ""))
    draft.base = document.version.text  // …and days later:
    try store.write { writer in
      try writer.put(draft.note, at: id, in: "notes", basedOn: VersionToken(text: draft.base))
    }
  }

  private static func errors(_ store: DocumentStore) throws {
    do {
      try store.write { print($0) }
    } catch let error as FeedSyncError {
      print(error, error.hint ?? "")
    }
  }

  // MARK: - Counters and sets

  private static func counters(_ store: DocumentStore) throws {
    struct Plan: Codable {
      var title: String
      var votes = Counter()
    }

    try store.write { writer in
      try writer.update(Plan.self, at: "picnic", in: "plans") { $0.votes += 1 }
    }
  }

  private static func sets(_ store: DocumentStore) throws {
    struct Plan: Codable {
      var title: String
      var tags: ReplicatedSet<String> = []
    }

    try store.write { writer in
      try writer.update(Plan.self, at: "picnic", in: "plans") { $0.tags.insert("garden") }
    }
  }

  private static func members(_ store: DocumentStore) throws {
    try store.write { writer in
      try writer.increment("/votes", at: "picnic", in: "plans")
      try writer.insert(["garden", "urgent"], into: "/tags", at: "picnic", in: "plans")
      try writer.remove(["urgent"], from: "/tags", at: "picnic", in: "plans")
    }
  }

  // MARK: - Attachments

  private struct Trip: Codable {

    var title: String

    var cover: DocumentAttachment?

  }

  private static func cover(_ store: DocumentStore) throws {
    struct Trip: Codable {
      var title: String
      var cover: DocumentAttachment?
    }

    try store.attach("/home/ann/alps.jpg") { attachment, writer in
      try writer.update(Trip.self, at: "alps", in: "trips") { $0.cover = attachment }
    }
  }

  private static func attachments(_ store: DocumentStore) throws {
    try store.attach("/home/ann/alps.jpg", to: "alps", in: "trips")

    for entry in try store.attachments(of: "alps", in: "trips") {
      print(entry.attachment.name, entry.availability.word)
      try store.export(entry.attachment, to: "/home/ann/Downloads/\(entry.attachment.name)")
    }
    for entry in try store.attachments(of: "alps", in: "trips") {
      print(entry.attachment.name, entry.availability.word)
    }
    try store.removeAttachments(["alps.jpg"], from: "alps", in: "trips")
  }

  private static func exporting(_ entry: AttachmentEntry, of store: DocumentStore) throws {
    try store.export(entry.attachment, to: "/home/ann/Downloads/alps.jpg")
  }

  // MARK: - Following

  private static func following(_ store: DocumentStore) async throws {
    for try await change in store.changes where change.affects("notes") { show() }
  }

  private static func missingNothing(_ store: DocumentStore) async throws {
    let changes = store.changes  // From here on nothing is missed.
    show(try await store.read { try $0.ids(in: "notes").joined() })
    for try await change in changes { show(try await store.read { _ in "\(change)" }) }
  }

  private static func committed(_ store: DocumentStore) throws {
    struct Saved { var position: ChangePosition? }
    var saved = Saved()
    let news = try store.committedChanges(after: saved.position)
    if news.changes.contains(where: { $0.affects("notes") }) { try readNotes() }
    saved.position = news.position
  }

  private static func conflicts(_ store: DocumentStore) async throws {
    for try await conflict in store.newConflicts() {
      show("\(conflict.collection)/\(conflict.id)\(conflict.path) was written twice")
    }
  }

  private static func watching(_ store: DocumentStore) async throws {
    try await store.watch { event in
      if case .imported(let device, _, let count) = event { print(device.name ?? "", count) }
    }
  }
}
